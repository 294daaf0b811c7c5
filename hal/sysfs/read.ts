import { readdirSync, readFileSync } from 'node:fs'
import { HalError, type HalErrorCode, halErrorCodes } from '../errors.ts'

/** The text of a kernel file without its newline; undefined when there is no such file or it cannot be read now. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** A number in a kernel file; undefined if it cannot be read now: a driver may refuse it at any moment. */
export function readNumber(path: string): number | undefined {
  const text = readText(path) ?? ''
  return /^-?\d+$/.test(text) ? Number(text) : undefined
}

/** The names in a folder, for a message about a missing one. */
export function known(folder: string): string {
  try {
    return readdirSync(folder).sort().join(', ') || 'none'
  } catch {
    return `no ${folder}`
  }
}

/** The failure of a device whose file could not be read or written. */
export function failure(device: string, error: unknown): HalError {
  const { code, message } = error as { code?: string; message: string }
  const own = code === undefined ? undefined : (others[code] ?? halErrorCodes.find((known) => known === code))
  return new HalError(own ?? 'EIO', `${device}: ${message}`, { cause: error })
}

/** Errors that mean the same to a caller. */
const others = { ENOENT: 'ENODEV', ENOTDIR: 'ENODEV', ENXIO: 'ENODEV', EPERM: 'EACCES' } as Readonly<
  Record<string, HalErrorCode>
>
