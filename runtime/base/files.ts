import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The system calls that a replacement is made of. Those of this machine, but for tests that let one of them fail. */
export interface FileCalls {
  /** A new file, the owner's alone. */
  create(file: string, content: string | Uint8Array): void
  rename(from: string, to: string): void
  /** Removes a file that may be there. */
  remove(file: string): void
  /** Settles when what was done to a file, or to the entries of a directory, survives a power cut. */
  sync(path: string): void
}

export const fileCalls: FileCalls = {
  create: (file, content) => writeFileSync(file, content, { mode: 0o600, flag: 'wx' }),
  rename: renameSync,
  remove: (file) => rmSync(file, { force: true }),
  sync(path) {
    const descriptor = openSync(path, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }
}

/** The path of a file that a board file names: relative ones begin in the directory. */
export function pathIn(directory: string, path: string): string {
  return path.startsWith('/') ? path : `${directory}/${path}`
}

/**
 * Whole or not at all, and the owner's alone: a new file beside it, synced, renamed, and the directory synced. One that
 * an earlier attempt left beside it is removed first, for its permissions are not known.
 *
 * @throws the system's error; the file is then as it was, or, where only the last sync failed, as it is to be
 */
export function replaceFile(file: string, content: string | Uint8Array, calls: FileCalls = fileCalls): void {
  const beside = `${file}.tmp`
  calls.remove(beside)
  try {
    calls.create(beside, content)
    calls.sync(beside)
    calls.rename(beside, file)
  } catch (error) {
    forget(beside, calls)
    throw error
  }
  calls.sync(dirname(file))
}

/** Makes a directory, and those above it, the owner's alone; they are there after a power cut. @throws the system's error */
export function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  makeDirectory(dirname(path))
  mkdirSync(path, { mode: 0o700 })
  fileCalls.sync(dirname(path))
}

/** A file left beside it does no harm. That it cannot be removed says no more than the first failure did. */
function forget(file: string, calls: FileCalls): void {
  try {
    calls.remove(file)
  } catch {}
}

/** Whether a failure to read says that the medium lost what was on it. */
export function isLost(error: unknown): boolean {
  return ['EIO', 'EBADMSG', 'EUCLEAN'].includes((error as NodeJS.ErrnoException).code ?? '')
}
