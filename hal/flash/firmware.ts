import { existsSync, readFileSync } from 'node:fs'
import { pathIn, replaceFile } from '#runtime/base/files.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { findLayout } from '../edk2/layout.ts'
import { fileError, HalError, type HalErrorCode } from '../errors.ts'
import type { Firmware, FirmwareImage, FirmwarePart, FirmwareState, FirmwareWriting } from '../firmware.ts'
import type { Flash } from '../flash.ts'
import { Memory } from '../memory.ts'
import { flashPart } from './part.ts'
import { FlashWriting } from './writing.ts'

/** Where a part of an image lies, in bytes. */
interface Place {
  readonly name: string
  /** Default 0. */
  readonly offset?: number | undefined
  /** Default up to the end of the flash. */
  readonly length?: number | undefined
}

/** The back end `flash` of a board file. */
export interface FlashFirmwareOptions {
  readonly name: string
  /** Existing folder for the version that the flash holds, as `<name>.json`. */
  readonly directory: string
  /** An MTD character device, or a file that is used like a NOR flash; relative to `directory`. */
  readonly path?: unknown
  /** The parts of an image, in their order, and where in the flash each lies. Default one, `bios`: the whole flash. */
  readonly parts?: readonly Place[] | undefined
  /** A missing `path` begins as a copy of this file. */
  readonly create?: string | undefined
  /** Of what is there at the first start. */
  readonly version: string
  /** Hears of firmware that was not written to its end, and of a copy that cannot be made. */
  readonly warn: (text: string) => void
}

const bytes = { type: 'integer', minimum: 0 } as const

/** {@link FlashFirmwareOptions} in a board file. */
export const flashFirmwareOptions = {
  type: 'object',
  required: ['path'],
  properties: {
    path: { type: 'string', description: 'An MTD character device, or a file; relative to the data of the machine' },
    parts: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,31}$' }, offset: bytes, length: bytes }
      },
      description:
        'The parts of an image, in order, with their positions in bytes; default one part, bios: the whole flash'
    },
    create: { type: 'string', description: 'If the file is missing, it begins as a copy of this one' }
  }
} as const

/** The version that the flash holds; none while an image is written. */
type Kept = { version?: string | undefined }

/**
 * The firmware that a host starts from: one slot, which is written in place. Data outside the parts, such as the host's
 * variables, stays as it is.
 *
 * The start of a write is stored before the first byte is changed, so that an interrupted image does not count as
 * firmware.
 *
 * @param open a flash, by its path
 * @throws {HalError} `EINVAL` without a path. A flash that cannot be opened fails when it is to be written
 */
export function flashFirmware(open: (path: string) => Flash, options: FlashFirmwareOptions): Firmware {
  return new FlashFirmware(open, options)
}

class FlashFirmware implements Firmware {
  readonly needsReset = false
  readonly #open: () => Flash
  readonly #options: FlashFirmwareOptions
  readonly #places: ReadonlyMap<string, Place>
  readonly #listeners = new Listeners<FirmwareState>()
  #kept: Kept
  #writing: FirmwareWriting | undefined
  #closed = false

  constructor(open: (path: string) => Flash, options: FlashFirmwareOptions) {
    const { name, directory, path, parts = [{ name: 'bios' }], version, warn } = options
    if (typeof path !== 'string') throw new HalError('EINVAL', `${name}: the back end flash needs the path of a flash`)
    const file = pathIn(directory, path)
    this.#open = () => open(file)
    this.#options = options
    this.#places = new Map(parts.map((place) => [place.name, place]))
    this.#kept = new Memory<Kept>(name, { directory, warn }).load(isKept) ?? { version }
    this.#copy(file)
    if (this.#kept.version === undefined) warn(`${name}: there is no complete image: the host needs an update to start`)
  }

  get state(): FirmwareState {
    return { slots: [{ version: this.#kept.version }], running: 0, next: 0, committed: true }
  }

  async write(image: FirmwareImage): Promise<FirmwareWriting> {
    this.#check()
    const writing = new FlashWriting(
      image,
      [...this.#places.keys()],
      (name) => this.#part(name),
      (code, reason) => this.#error(code, reason),
      (whole) => {
        this.#writing = undefined
        if (whole) this.#keep({ version: image.version })
      }
    )
    for (const part of image.parts) this.#checkPart(part)
    this.#keep({})
    this.#writing = writing
    return writing
  }

  async activate(slot: number): Promise<void> {
    this.#check()
    if (this.state.slots[slot]?.version === undefined) throw this.#error('EINVAL', `slot ${slot} has no whole image`)
  }

  async commit(): Promise<void> {
    this.#check()
  }

  on(listener: (state: FirmwareState) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    await this.#writing?.abandon()
    this.#closed = true
    this.#listeners.clear()
  }

  /** Creates a missing file, with the content that it is delivered with. */
  #copy(file: string): void {
    const { name, create, version, warn } = this.#options
    if (create === undefined || existsSync(file)) return
    try {
      replaceFile(file, readFileSync(create))
      if (this.#kept.version !== version) this.#keep({ version })
    } catch (error) {
      this.#kept = {}
      warn(`${name}: ${file} cannot be created: ${(error as Error).message}`)
    }
  }

  /** The place of a part, as a flash of its own. */
  #part(name: string): Flash {
    const flash = this.#open()
    const { offset = 0, length = flash.size - offset } = this.#places.get(name) ?? {}
    try {
      return flashPart(flash, { offset, length })
    } catch (error) {
      flash.close()
      throw error
    }
  }

  /** Variables of a host outlive an update: a board file that puts its firmware in their place is wrong. */
  #checkPart({ name, length }: FirmwarePart): void {
    const place = this.#part(name)
    try {
      if (place.size !== length)
        throw this.#error('EINVAL', `${name} has ${place.size} bytes, and the image's ${length}`)
      if (findLayout(place)) throw this.#error('EINVAL', `where ${name} is to be, the host has its variables`)
    } finally {
      place.close()
    }
  }

  #keep(kept: Kept): void {
    const { name, directory } = this.#options
    try {
      replaceFile(`${directory}/${name}.json`, JSON.stringify(kept))
    } catch (error) {
      throw fileError(name, 'save', error)
    }
    this.#kept = kept
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

function isKept(state: unknown): state is Kept {
  if (typeof state !== 'object' || state === null) return false
  const { version } = state as Kept
  return version === undefined || typeof version === 'string'
}
