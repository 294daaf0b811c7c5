import { HalError } from './errors.ts'

/**
 * A NOR flash chip or a partition of one, locked from open to close: opening it twice, in whatever process, is `EBUSY`.
 *
 * Offsets and lengths are in bytes. All calls but `eraseAsync` block until the hardware is done: reading and
 * programming some microseconds to milliseconds for a few KiB; erasing 10 ms to 1 s for each block of a real chip.
 *
 * All methods throw {@link HalError}: `EINVAL` outside of the flash or not aligned; `EIO` when the hardware failed, and
 * then the range may be changed in part; `EROFS` for a change to a flash opened for reading only; `EBUSY` while
 * `eraseAsync` is at work; `ENODEV` after `close`.
 */
export interface Flash {
  readonly kind: 'file' | 'mtd' | 'memory'
  readonly size: number
  /** Size of an erase block. */
  readonly eraseSize: number
  /** Unit of programming: 1 but for chips that guard units of several bytes by a code. */
  readonly writeSize: number
  /** No other process can change it while it is open, so data that was read once stays valid. */
  readonly exclusive?: boolean

  /** A copy of `length` bytes. */
  read(offset: number, length: number): Uint8Array

  /** Bytes of a range without those at its end that are 0xFF, or some more: where the chip knows without reading them. */
  programmed?(offset: number, length: number): number

  /** Clears the bits that are 0 in `bytes`; no bit goes from 0 to 1. Whole units of `writeSize`. */
  program(offset: number, bytes: Uint8Array): void

  /** Sets whole erase blocks to 0xFF. For few blocks; it blocks. */
  erase(offset: number, length: number): void

  /** Sets whole erase blocks to 0xFF on the worker pool. Until it settles, everything else is `EBUSY`. */
  eraseAsync(offset: number, length: number): Promise<void>

  /** Returns when all that was programmed and erased would survive a power cut. */
  sync(): void

  /** Unlocks and closes; does not sync. */
  close(): void
}

export interface FlashOptions {
  /** Erase block of a plain file, which has none of its own. Default 4096. An MTD device knows its own. */
  eraseSize?: number | undefined
  /** Refuse all changes with `EROFS`. */
  readOnly?: boolean | undefined
}

/** @throws {HalError} `EINVAL` unless the range lies in the flash and consists of whole `unit`s. */
export function checkRange(flash: { size: number }, offset: number, length: number, unit: number): void {
  const whole = Number.isSafeInteger(offset) && Number.isSafeInteger(length)
  if (!whole || offset < 0 || length < 0 || offset + length > flash.size || offset % unit || length % unit) {
    throw new HalError('EINVAL', `flash: ${length} bytes at ${offset} are not whole units of ${unit} of ${flash.size}`)
  }
}
