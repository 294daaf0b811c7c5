import { HalError } from '../errors.ts'
import { checkRange, type Flash } from '../flash.ts'

/** Faults of a simulated chip. They may be set at any time. */
export interface FlashFaults {
  /**
   * The power is cut in the program or erase operation that comes after so many whole ones: it is torn, it throws
   * `EIO`, and so does all else until the chip is opened anew. Then the fault is gone.
   */
  cutAfter?: number | undefined
  /** How many bytes, from its beginning, the operation that is cut still changes. Default 0. */
  torn?: number | undefined
  /** The rest of the block that an interrupted erase leaves: its former contents, or zeros. Default `kept`. */
  tornErase?: 'kept' | 'zeros' | undefined
  /** Numbers of erase blocks in which programming and erasing fail with `EIO` and change nothing. */
  badBlocks?: number[] | undefined
}

/** Plain JSON. */
export interface SimFlashOptions {
  /** Bytes; a multiple of `eraseSize`. */
  size: number
  /** Default 4096. */
  eraseSize?: number | undefined
  /** Default 1. */
  writeSize?: number | undefined
  faults?: FlashFaults | undefined
}

/** A chip in memory. It keeps its contents when it is closed and when the power is cut. */
export interface SimFlash {
  /** The contents of the chip, for tests that read or prepare it while it is open elsewhere. */
  readonly contents: Uint8Array
  readonly faults: FlashFaults
  /** @throws {HalError} `EBUSY` while it is open */
  open(): Flash
}

/**
 * An erased chip.
 *
 * @throws {HalError} `EINVAL` for impossible sizes
 */
export function simFlash(options: SimFlashOptions): SimFlash {
  const { size, eraseSize = 4096, writeSize = 1 } = options
  if (!(size > 0) || size % eraseSize !== 0 || eraseSize % writeSize !== 0) {
    throw new HalError('EINVAL', `flash: ${size} bytes cannot be in blocks of ${eraseSize} and units of ${writeSize}`)
  }
  const contents = new Uint8Array(size).fill(0xff)
  const faults = { ...options.faults }
  let current: OpenChip | undefined
  return {
    contents,
    faults,
    open() {
      if (current?.locked) throw new HalError('EBUSY', 'flash: open already')
      current = new OpenChip(contents, eraseSize, writeSize, faults)
      return current
    }
  }
}

class OpenChip implements Flash {
  readonly kind = 'memory'
  readonly size: number
  readonly eraseSize: number
  readonly writeSize: number
  readonly #contents: Uint8Array
  readonly #faults: FlashFaults
  #condition: 'ready' | 'erasing' | 'cut' | 'closed' = 'ready'

  constructor(contents: Uint8Array, eraseSize: number, writeSize: number, faults: FlashFaults) {
    this.size = contents.length
    this.eraseSize = eraseSize
    this.writeSize = writeSize
    this.#contents = contents
    this.#faults = faults
  }

  get locked(): boolean {
    return this.#condition === 'ready' || this.#condition === 'erasing'
  }

  read(offset: number, length: number): Uint8Array {
    this.#check()
    checkRange(this, offset, length, 1)
    return this.#contents.slice(offset, offset + length)
  }

  program(offset: number, bytes: Uint8Array): void {
    this.#check()
    checkRange(this, offset, bytes.length, this.writeSize)
    this.#change(offset, bytes.length, (count) => {
      for (let i = 0; i < count; i++) this.#contents[offset + i]! &= bytes[i]!
    })
  }

  erase(offset: number, length: number): void {
    this.#check()
    checkRange(this, offset, length, this.eraseSize)
    this.#change(offset, length, (count) => {
      const end = offset + count
      this.#contents.fill(0xff, offset, end)
      const blockEnd = Math.min((Math.floor(end / this.eraseSize) + 1) * this.eraseSize, offset + length)
      if (this.#faults.tornErase === 'zeros') this.#contents.fill(0, end, blockEnd)
    })
  }

  async eraseAsync(offset: number, length: number): Promise<void> {
    this.#check()
    this.#condition = 'erasing'
    await new Promise(setImmediate)
    this.#condition = 'ready'
    this.erase(offset, length)
  }

  sync(): void {
    this.#check()
  }

  close(): void {
    this.#check()
    this.#condition = 'closed'
  }

  #check(): void {
    if (this.#condition === 'erasing') throw new HalError('EBUSY', 'flash: an erase is under way')
    if (this.#condition === 'cut') throw new HalError('EIO', 'flash: the power was cut')
    if (this.#condition === 'closed') throw new HalError('ENODEV', 'flash: closed')
  }

  /** Does one operation to `count` of its `length` bytes: to all of them but when a fault says otherwise. */
  #change(offset: number, length: number, apply: (count: number) => void): void {
    const faults = this.#faults
    const first = Math.floor(offset / this.eraseSize)
    const last = Math.floor((offset + length - 1) / this.eraseSize)
    const bad = faults.badBlocks?.find((block) => block >= first && block <= last)
    if (bad !== undefined) throw new HalError('EIO', `flash: block ${bad} is bad`)
    if (faults.cutAfter === 0) {
      faults.cutAfter = undefined
      apply(Math.min(faults.torn ?? 0, length))
      this.#condition = 'cut'
      throw new HalError('EIO', 'flash: the power was cut')
    }
    apply(length)
    if (faults.cutAfter) faults.cutAfter -= 1
  }
}
