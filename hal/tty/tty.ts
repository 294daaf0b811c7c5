import type { HalError } from '../errors.ts'

/** Events of a line. */
export interface TtyEvents {
  data(bytes: Uint8Array): void
  /** Last: the line is good for nothing from here on. */
  failed(error: HalError): void
}

/** A serial line that is open, in raw mode: bytes pass as they are (termios(3)). */
export interface Tty {
  /** @returns how many of the bytes the line took; the others are the caller's to offer again @throws {HalError} */
  write(bytes: Uint8Array): number
  /** Begins or ends a break. @throws {HalError} `EIO` where a socket stands for the line */
  setBreak(on: boolean): void
  close(): void
}

/** @param speed bits a second @throws {HalError} `EINVAL` for a speed that lines do not have, `ENODEV`, `EACCES` */
export type OpenTty = (path: string, speed: number, events: TtyEvents) => Tty

/**
 * Likewise, for a line or a socket that another program has opened.
 *
 * @param descriptor the line's own from here on, also if this fails
 * @param name of the line, for messages
 * @throws {HalError}
 */
export type AdoptTty = (descriptor: number, name: string, events: TtyEvents) => Tty
