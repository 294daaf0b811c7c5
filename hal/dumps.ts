import type { NumberedEntries } from './entries.ts'

/** Diagnostic data of a controller or a host, collected by another program. */
export interface Dump {
  /** Milliseconds since 1970; absent if the program does not tell. */
  readonly created?: number
  /** In bytes. */
  readonly size: number
  /** It could not be collected: there is nothing to read. */
  readonly isFailed: boolean
}

/** Dumps that another program collects and stores. A dump is an entry once it is complete or has failed. */
export interface Dumps extends NumberedEntries<Dump> {
  /**
   * Has the program collect another dump. Resolves with its number when it is there.
   *
   * @throws {HalError} `ENODEV` if the program is not running or ends, and after `close`; `ENOSPC` without room for the dump;
   *   `EINVAL` if it cannot collect dumps; `EIO` if collecting fails; `ETIMEDOUT`
   */
  collect(): Promise<number>
  /** Opens a file with a dump. @returns its descriptor, the caller's own @throws {HalError} as `remove`, `EIO` */
  open(number: number): Promise<number>
}
