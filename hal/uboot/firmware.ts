import { readFileSync } from 'node:fs'
import { Listeners } from '#runtime/base/listeners.ts'
import { HalError, type HalErrorCode } from '../errors.ts'
import type { Firmware, FirmwareImage, FirmwareState, FirmwareWriting } from '../firmware.ts'
import { FlashWriting } from '../flash/writing.ts'
import type { Flash } from '../flash.ts'
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
    folder: { type: 'string', description: 'The folder with the flash partitions by name; default /dev/mtd/by-name' },
    parts: {
      type: 'array',
      items: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,31}$' },
      description:
        'The parts of an image, in order. Each has partitions of its name with -a and -b; default kernel, rofs'
    },
    environment: {
      type: 'object',
      required: ['copies', 'size'],
      properties: {
        copies: {
          type: 'array',
          items: { type: 'integer', minimum: 0 },
          description: 'The offsets of the two copies, in bytes'
        },
        size: { type: 'integer', minimum: 64, maximum: 0x10000, description: 'The size of each copy, in bytes' }
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

/**
 * The controller's own firmware, in two slots that U-Boot starts: what it is to start is in its environment, and a
 * version on trial is given up by U-Boot when it was started three times and was not committed.
 *
 * @param open a flash partition, by its path
 * @throws {HalError} if the environment cannot be read
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
  #writing: FirmwareWriting | undefined
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
    const slot = 1 - this.#running
    const writing = new FlashWriting(
      image,
      this.#parts,
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

/** A string that U-Boot puts into the device tree; undefined if another loader has started this kernel. */
function said(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/\0.*$/s, '')
  } catch {
    return undefined
  }
}
