/**
 * Why a device did not do what it was asked. The names are POSIX's (errno.h); what each means to a caller:
 *
 * - `EBUSY`: the device is at work on something earlier, or another process holds it. The same call may succeed later.
 * - `EINVAL`: the request makes no sense in the device's present state, or its arguments do not fit the device.
 *   Repeating it changes nothing.
 * - `EIO`: the hardware failed. A change may have been made in part.
 * - `ETIMEDOUT`: the hardware did not answer in time. Whether it acts on the request is not known.
 * - `ENODEV`: there is no such device, or it was closed, or the part of the program that drives it is not there.
 * - `ENOSPC`: the device is full.
 * - `EROFS`: the device cannot be written, or was opened for reading only.
 * - `EACCES`: the operating system does not let this process use the device.
 */
export type HalErrorCode = (typeof halErrorCodes)[number]

export const halErrorCodes = ['EBUSY', 'EINVAL', 'EIO', 'ETIMEDOUT', 'ENODEV', 'ENOSPC', 'EROFS', 'EACCES'] as const

/** A failure of the machine, not of the program. `message` is for the log: it names the device and what was tried. */
export class HalError extends Error {
  override readonly name = 'HalError'
  readonly code: HalErrorCode
  /** Of `EBUSY`: milliseconds until the device is free, if known. */
  readonly left: number | undefined

  constructor(code: HalErrorCode, message: string, options?: { cause?: unknown; left?: number }) {
    super(message, options)
    this.code = code
    this.left = options?.left
  }
}

const codes: Readonly<Record<string, HalErrorCode>> = {
  EACCES: 'EACCES',
  EPERM: 'EACCES',
  EROFS: 'EROFS',
  ENOSPC: 'ENOSPC',
  EDQUOT: 'ENOSPC',
  ENOENT: 'ENODEV',
  ENOTDIR: 'ENODEV'
}

/** A failure of the file system as one of the device that keeps its state in files. */
export function fileError(device: string, operation: string, error: unknown): HalError {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new HalError(codes[code] ?? 'EIO', `${device}: ${operation}: ${message}`, { cause: error })
}
