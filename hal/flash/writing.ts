import { createHash } from 'node:crypto'
import type { HalError, HalErrorCode } from '../errors.ts'
import type { FirmwareImage, FirmwareWriting } from '../firmware.ts'
import type { Flash } from '../flash.ts'

/** Bytes that are read back at once. */
const readSize = 65_536

/** Of a whole array: a quarter of the steps to compare it. */
const words = ({ buffer }: Uint8Array) => new Int32Array(buffer)

/** Writes the parts of an image one after another, each from the beginning of a flash of its own, and reads them back. */
export class FlashWriting implements FirmwareWriting {
  readonly #image: FirmwareImage
  readonly #open: (part: string) => Flash
  readonly #error: (code: HalErrorCode, reason: string) => HalError
  readonly #end: (whole: boolean) => void
  #part = 0
  /** Of the part that is written, once its first byte is there. */
  #flash: Flash | undefined
  #at = 0
  /** The unit that is compared, erased and programmed without a pause; other work runs between units. */
  #block = new Uint8Array()
  #filled = 0
  #putting: Promise<void> = Promise.resolve()
  #over = false

  /**
   * @param parts the names that the parts of an image have, in their order
   * @param open the flash of a part, by its name
   * @param end called once: with true when the image was read back and is whole, else when it is given up
   * @throws {HalError} `EINVAL` for other parts, and one that does not fit, and what `open` throws
   */
  constructor(
    image: FirmwareImage,
    parts: readonly string[],
    open: (part: string) => Flash,
    error: (code: HalErrorCode, reason: string) => HalError,
    end: (whole: boolean) => void
  ) {
    this.#image = image
    this.#open = open
    this.#error = error
    this.#end = end
    if (image.parts.map(({ name }) => name).join() !== parts.join()) {
      throw error('EINVAL', `an image has the parts ${parts.join(' and ')}`)
    }
    for (const { name, length } of image.parts) {
      const flash = open(name)
      flash.close()
      if (length > flash.size) throw error('EINVAL', `${name}: ${length} bytes do not fit into ${flash.size}`)
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#check()
    for (let rest = bytes; rest.length > 0; ) {
      const part = this.#image.parts[this.#part]
      if (part === undefined) throw this.#error('EINVAL', 'the image has more bytes than announced')
      this.#flash ??= this.#opened(part.name)
      const room = Math.min(this.#block.length, part.length - this.#at) - this.#filled
      const taken = rest.subarray(0, room)
      rest = rest.subarray(taken.length)
      this.#block.set(taken, this.#filled)
      this.#filled += taken.length
      if (taken.length < room) return
      this.#putting = this.#put(this.#flash, part.length)
      await this.#putting
    }
  }

  async verify(): Promise<void> {
    this.#check()
    if (this.#part < this.#image.parts.length) throw this.#error('EINVAL', 'bytes of the image are missing')
    for (const { name, length, sha256 } of this.#image.parts) {
      const flash = this.#open(name)
      try {
        const digest = createHash('sha256')
        for (let at = 0; at < length; at += readSize) {
          digest.update(flash.read(at, Math.min(readSize, length - at)))
          await new Promise(setImmediate)
          this.#check()
        }
        if (digest.digest('hex') !== sha256) throw this.#error('EIO', `${name} is not what was to be written`)
      } finally {
        flash.close()
      }
    }
    this.#over = true
    this.#end(true)
  }

  async abandon(): Promise<void> {
    if (this.#over) return
    this.#over = true
    await this.#putting.catch(() => undefined)
    this.#release()
    this.#end(false)
  }

  /** Writes a block, and goes on to the next part behind the last of one. */
  async #put(flash: Flash, length: number): Promise<void> {
    const old = words(flash.read(this.#at, flash.eraseSize))
    const wanted = words(this.#block.fill(0xff, this.#filled))
    // The next version often has the same kernel.
    if (!old.every((word, at) => word === wanted[at])) {
      if (!old.every((word) => word === -1)) await flash.eraseAsync(this.#at, flash.eraseSize)
      this.#check()
      flash.program(this.#at, this.#block)
    }
    await new Promise(setImmediate)
    this.#check()
    this.#at += this.#filled
    this.#filled = 0
    if (this.#at < length) return
    flash.sync()
    this.#release()
    this.#part += 1
    this.#at = 0
  }

  #release(): void {
    this.#flash?.close()
    this.#flash = undefined
  }

  #opened(part: string): Flash {
    const flash = this.#open(part)
    this.#block = new Uint8Array(flash.eraseSize)
    return flash
  }

  #check(): void {
    if (this.#over) throw this.#error('ENODEV', 'the image is no longer written')
  }
}
