import type { NumberedEntries } from './entries.ts'

/** Data of a controller or a host that a program has collected, for somebody to find out what is wrong with it. */
export interface Dump {
  /** Milliseconds since 1970; absent if the program does not tell. */
  readonly created?: number
  /** In bytes. */
  readonly size: number
  /** It could not be collected: there is nothing to read. */
  readonly isFailed: boolean
}

/** Dumps that another program collects and keeps. One that is being collected is none yet. */
export interface Dumps extends NumberedEntries<Dump> {
  /**
   * Has the program collect another dump. Resolves with its number when it is there.
   *
   * @throws {HalError} `ENODEV` without the program, or when it ends meanwhile, and after `close`; `ENOSPC` where it has no
   *   room, `EINVAL` where it collects none, `EIO` if it fails, `ETIMEDOUT`
   */
  collect(): Promise<number>
  /** Opens a file with a dump. @returns its descriptor, the caller's own @throws {HalError} as `remove`, `EIO` */
  open(number: number): Promise<number>
}
