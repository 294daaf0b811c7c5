import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { HalError, type HalErrorCode } from '../errors.ts'
import type { Firmware, FirmwareImage, FirmwareState, FirmwareWriting } from '../firmware.ts'
import type { Flash } from '../flash.ts'
import { Listeners } from '../listeners.ts'
import { Environment, type EnvironmentLayout } from './environment.ts'

/** The back end `uboot` of a board file. */
export interface UbootOptions {
  readonly name: string
  /** The folder with the flash partitions by their names. Default `/dev/mtd/by-name`. */
  readonly folder?: string | undefined
  /** The parts of an image, in their order: each is in partitions of its name, with `-a` and `-b` behind it. */
  readonly parts?: readonly string[] | undefined
  /** Where in the partition `u-boot-env` the environment is. */
  readonly environment?: EnvironmentLayout | undefined
  /** The slot that U-Boot started, as it tells the kernel. Default in `/proc/device-tree`. */
  readonly started?: string | undefined
  /** The version of U-Boot, as it tells the kernel. Default in `/proc/device-tree`. */
  readonly loader?: string | undefined
  /** Of what runs, where the environment does not say it. */
  readonly version: string
  /** Hears of a version that did not start. */
  readonly warn?: ((text: string) => void) | undefined
}

/** {@link UbootOptions} in a board file. */
export const ubootOptions = {
  type: 'object',
  properties: {
    folder: { type: 'string', description: 'With the flash partitions by their names; default /dev/mtd/by-name' },
    parts: {
      type: 'array',
      items: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,31}$' },
      description: 'Of an image, in order, each in partitions of its name with -a and -b; default kernel, rofs'
    },
    environment: {
      type: 'object',
      required: ['copies', 'size'],
      properties: {
        copies: { type: 'array', items: { type: 'integer', minimum: 0 }, description: 'Their two offsets, in bytes' },
        size: { type: 'integer', minimum: 64, maximum: 0x10000, description: 'Of each copy, in bytes' }
      },
      description: "Where U-Boot's environment is in u-boot-env; default 4 KiB each at 0 and 65536"
    },
    started: { type: 'string', description: 'The file with the slot that was started; default in /proc/device-tree' },
    loader: { type: 'string', description: "The file with U-Boot's version; default in /proc/device-tree" }
  }
} as const

const letters = ['a', 'b'] as const
/** Where U-Boot leaves word for the kernel. */
const chosen = '/proc/device-tree/chosen'
/** Bytes that are read back at once. */
const readSize = 65_536

/**
 * The controller's own firmware, in two slots that U-Boot starts: what it is to start is in its environment, and a
 * version on trial is given up by U-Boot when it was started three times and was not committed.
 *
 * @param open a flash partition, by its path
 * @throws {HalError} where the environment cannot be read
 */
export function ubootFirmware(open: (path: string) => Flash, options: UbootOptions): Firmware {
  return new UbootFirmware(open, options)
}

class UbootFirmware implements Firmware {
  readonly #open: (path: string) => Flash
  readonly #options: UbootOptions
  readonly #folder: string
  readonly #parts: readonly string[]
  readonly #environment: Environment
  readonly #running: number
  readonly #loader: string | undefined
  readonly #listeners = new Listeners<FirmwareState>()
  #writing: Writing | undefined
  #closed = false

  constructor(open: (path: string) => Flash, options: UbootOptions) {
    const { folder = '/dev/mtd/by-name' } = options
    const { started = `${chosen}/u-boot,bootconf`, loader = `${chosen}/u-boot,version` } = options
    const { parts = ['kernel', 'rofs'], environment = { copies: [0, 0x10000], size: 4096 } } = options
    this.#open = open
    this.#options = options
    this.#folder = folder
    this.#parts = parts
    this.#environment = new Environment(() => open(`${folder}/u-boot-env`), environment)
    const slot = said(started)
    this.#running = slot === 'a' || slot === 'b' ? letters.indexOf(slot) : this.#next
    this.#loader = said(loader)
    this.#noteFallback()
  }

  get state(): FirmwareState {
    const variables = this.#environment.variables
    const slots = letters.map((letter, slot) => ({
      version: variables.get(`version_${letter}`) ?? (slot === this.#running ? this.#options.version : undefined)
    }))
    return { slots, running: this.#running, next: this.#next, committed: !this.#onTrial, loader: this.#loader }
  }

  get needsReset(): boolean {
    return this.#next !== this.#running
  }

  async write(image: FirmwareImage): Promise<FirmwareWriting> {
    this.#check()
    if (this.#onTrial) throw this.#error('EBUSY', 'the version that runs is on trial, and may need the one before')
    if (image.parts.map(({ name }) => name).join() !== this.#parts.join()) {
      throw this.#error('EINVAL', `an image has the parts ${this.#parts.join(' and ')}`)
    }
    const slot = 1 - this.#running
    const writing = new Writing(
      image,
      (part) => this.#open(`${this.#folder}/${part}-${letters[slot]}`),
      (code, reason) => this.#error(code, reason),
      (whole) => {
        this.#writing = undefined
        if (whole) this.#change({ [`version_${letters[slot]}`]: image.version })
      }
    )
    this.#writing = writing
    try {
      this.#change({ ...this.#startFrom(this.#running), [`version_${letters[slot]}`]: undefined })
    } catch (error) {
      await writing.abandon()
      throw error
    }
    return writing
  }

  async activate(slot: number): Promise<void> {
    this.#check()
    if (this.state.slots[slot]?.version === undefined) throw this.#error('EINVAL', `slot ${slot} has no whole image`)
    if (slot === this.#running && this.#onTrial) return
    this.#change(this.#startFrom(slot))
  }

  async commit(): Promise<void> {
    this.#check()
    if (this.#onTrial) this.#change(this.#startFrom(this.#running))
  }

  on(listener: (state: FirmwareState) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    await this.#writing?.abandon()
    this.#closed = true
    this.#listeners.clear()
  }

  get #next(): number {
    return this.#environment.variables.get('slot') === 'b' ? 1 : 0
  }

  get #isTrial(): boolean {
    return Number(this.#environment.variables.get('upgrade_available') ?? 0) > 0
  }

  get #onTrial(): boolean {
    return this.#isTrial && this.#next === this.#running
  }

  get #starts(): number {
    return Number(this.#environment.variables.get('bootcount') ?? 0)
  }

  /** The variables of a start from a slot: U-Boot counts the starts of one that does not run yet. */
  #startFrom(slot: number): Record<string, string> {
    return { slot: letters[slot]!, upgrade_available: slot === this.#running ? '0' : '1', bootcount: '0' }
  }

  /**
   * U-Boot has started the other slot, because it does not take what lies in the one that it was to start; or it has
   * given up a version on trial, and has left the count of its starts. A slot that was made the next one has no start.
   */
  #noteFallback(): void {
    const isRefused = this.#next !== this.#running && !(this.#isTrial && this.#starts === 0)
    const isGivenUp = this.#next === this.#running && !this.#isTrial && this.#starts > 0
    if (!isRefused && !isGivenUp) return
    const other = letters[1 - this.#running]!
    const why = isRefused ? 'is not sound' : `did not come up in ${this.#starts - 1} starts`
    this.#options.warn?.(`${this.#options.name}: slot ${other.toUpperCase()} ${why}, so that the other one runs`)
    try {
      const gone = isRefused ? { [`version_${other}`]: undefined } : {}
      this.#environment.change({ ...this.#startFrom(this.#running), ...gone })
    } catch (error) {
      this.#options.warn?.(`${this.#options.name}: ${(error as Error).message}`)
    }
  }

  #change(changes: Readonly<Record<string, string | undefined>>): void {
    try {
      this.#environment.change(changes)
    } catch (error) {
      if (!(error instanceof HalError)) throw error
      throw new HalError(error.code, `${this.#options.name}: ${error.message}`, { cause: error })
    }
    this.#listeners.emit(this.state)
  }

  #check(): void {
    if (this.#closed) throw this.#error('ENODEV', 'it is closed')
    if (this.#writing !== undefined) throw this.#error('EBUSY', 'an image is being written')
  }

  #error(code: HalErrorCode, reason: string): HalError {
    return new HalError(code, `${this.#options.name}: ${reason}`)
  }
}

/** Of a whole array: a quarter of the steps to compare it. */
const words = ({ buffer }: Uint8Array) => new Int32Array(buffer)

/** A string that U-Boot has put into the device tree; undefined where there is none: another loader has started this. */
function said(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/\0.*$/s, '')
  } catch {
    return undefined
  }
}

/** Writes the parts of an image one after another, each from the beginning of its partition. */
class Writing implements FirmwareWriting {
  readonly #image: FirmwareImage
  readonly #open: (part: string) => Flash
  readonly #error: (code: HalErrorCode, reason: string) => HalError
  readonly #end: (whole: boolean) => void
  #part = 0
  /** Of the part that is written, once its first byte is there. */
  #flash: Flash | undefined
  #at = 0
  /** What is compared, erased and programmed at once; in between, others get to run. */
  #block = new Uint8Array()
  #filled = 0
  #putting: Promise<void> = Promise.resolve()
  #over = false

  constructor(
    image: FirmwareImage,
    open: (part: string) => Flash,
    error: (code: HalErrorCode, reason: string) => HalError,
    end: (whole: boolean) => void
  ) {
    this.#image = image
    this.#open = open
    this.#error = error
    this.#end = end
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
      if (part === undefined) throw this.#error('EINVAL', 'the image has more bytes than it is to have')
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
