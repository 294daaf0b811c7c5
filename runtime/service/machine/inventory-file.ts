import { readFileSync } from 'node:fs'
import type { Log } from '#runtime/base/log.ts'

/**
 * Reads a file in which a part of the machine is described, such as an EEPROM. Undefined, with a line in the log, if it
 * cannot be read: the board file applies then.
 *
 * @param what the contents, with an article, for the log
 * @param read returns the fault of damaged bytes as a text
 */
export function readInventoryFile<T extends object>(
  path: string,
  what: string,
  read: (bytes: Uint8Array) => T | string,
  log: Log
): T | undefined {
  let cause: string
  try {
    const found = read(readFileSync(path))
    if (typeof found !== 'string') return found
    cause = found
  } catch (error) {
    cause = (error as Error).message
  }
  log.warning(`${what} cannot be read: the board file applies`, { path, cause })
  return undefined
}
