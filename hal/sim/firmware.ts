import { createHash } from 'node:crypto'
import { Listeners } from '#runtime/base/listeners.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { HalError, type HalErrorCode } from '../errors.ts'
import type { Firmware, FirmwareImage, FirmwareState, FirmwareWriting } from '../firmware.ts'
import { Memory, type SimOptions } from '../memory.ts'
import { type Faults, Gate, simOptions } from './faults.ts'

interface FirmwareFaults extends Faults {
  /** The component refuses every version. */
  refuses?: boolean | undefined
  /** The transfer to the component breaks off after so many bytes. */
  cutAfter?: number | undefined
  /** It breaks off after this share of the image, 0 to 1. */
  cutAt?: number | undefined
  /** The component does not take the signature of an image. */
  badSignature?: boolean | undefined
  /** The data read back differs from the data written. */
  damaged?: boolean | undefined
  /** A new version does not start: the component falls back to the one before. */
  startFails?: boolean | undefined
}

/** Plain JSON but for `warn`. */
export interface SimFirmwareOptions extends SimOptions {
  /** The version that runs at its first start. */
  version?: string | undefined
  /** Default 2. */
  slots?: number | undefined
  /** The bytes that a slot holds. Default 64 MiB. */
  size?: number | undefined
  /** Milliseconds to write an image. Default 0. */
  writeTime?: number | undefined
  /** Faults from the start on. */
  faults?: FirmwareFaults | undefined
}

/** {@link SimFirmwareOptions} in a board file. */
export const simFirmwareOptions = {
  type: 'object',
  properties: {
    ...simOptions({
      refuses: { type: 'boolean', description: 'The component refuses every version' },
      cutAfter: { type: 'integer', minimum: 0, description: 'The transfer to it stops after this number of bytes' },
      cutAt: {
        type: 'number',
        minimum: 0,
        maximum: 1,
        description: 'The transfer to it stops after this share of the image, such as 0.8'
      },
      badSignature: { type: 'boolean', description: 'The component rejects the signature of an image' },
      damaged: { type: 'boolean', description: 'The component reads back other bytes than were written' },
      startFails: {
        type: 'boolean',
        description: 'A new version does not start: the component falls back to its previous version'
      }
    }),
    slots: { type: 'integer', minimum: 1, maximum: 2, description: 'Default 2; with 1, firmware is written in place' },
    size: { type: 'integer', minimum: 1, description: 'Bytes that a slot holds; default 64 MiB' },
    writeTime: { type: 'number', minimum: 0, description: 'Milliseconds to write an image' }
  }
} as const

export interface SimFirmware extends Firmware {
  /** Faults of the component; set or delete its properties at any time. */
  readonly faults: FirmwareFaults
}

type Kept = { slots: { version?: string | undefined }[]; running: number; next: number; committed: boolean }

/** A simulated component. It starts when it is opened: from the slot that is next, and with one slot at its activation. */
export function simFirmware(options: SimFirmwareOptions = {}): SimFirmware {
  return new SimulatedFirmware(options)
}

class SimulatedFirmware implements SimFirmware {
  readonly faults: FirmwareFaults
  readonly needsReset = false
  readonly #name: string
  readonly #size: number
  readonly #writeTime: number
  readonly #gate: Gate
  readonly #memory: Memory<Kept>
  readonly #listeners = new Listeners<FirmwareState>()
  #kept: Kept
  #writing: Writing | undefined

  constructor(options: SimFirmwareOptions) {
    const { name = 'firmware', timeout = 2000, slots = 2, size = 0x400_0000, version, writeTime = 0 } = options
    this.faults = { ...options.faults }
    this.#name = name
    this.#size = size
    this.#writeTime = writeTime
    this.#gate = new Gate(name, this.faults, timeout)
    this.#memory = new Memory(name, options)
    const first = { slots: Array.from({ length: slots }, (_, slot) => (slot === 0 ? { version } : {})) }
    const kept = this.#memory.load((state): state is Kept => isKept(state, slots))
    this.#kept = kept ?? { ...first, running: 0, next: 0, committed: true }
    this.#start()
  }

  get state(): FirmwareState {
    const { slots, ...rest } = this.#kept
    return { slots: slots.map(({ version }) => ({ version })), ...rest }
  }

  async write(image: FirmwareImage): Promise<FirmwareWriting> {
    await this.#gate.accept('write')
    const length = image.parts.reduce((sum, part) => sum + part.length, 0)
    if (this.#writing !== undefined) throw this.error('EBUSY', 'another image is being written')
    if (length > this.#size) throw this.error('EINVAL', `an image of ${length} bytes does not fit`)
    if (this.faults.refuses) throw this.error('EINVAL', `version ${image.version} is refused`)
    const { slots, running } = this.#kept
    const slot = (running + 1) % slots.length
    this.#change({ next: running, slots: slots.with(slot, {}) })
    this.#writing = new Writing(this, image, length, this.#writeTime / length, (whole) => {
      this.#writing = undefined
      if (whole) this.#change({ slots: this.#kept.slots.with(slot, { version: image.version }) })
    })
    return this.#writing
  }

  async activate(slot: number): Promise<void> {
    await this.#gate.accept('activate')
    if (this.#writing !== undefined) throw this.error('EBUSY', 'an image is being written')
    if (this.#kept.slots[slot]?.version === undefined) throw this.error('EINVAL', `slot ${slot} has no whole image`)
    this.#change({ next: slot })
  }

  async commit(): Promise<void> {
    await this.#gate.accept('commit')
    this.#change({ committed: true })
  }

  on(listener: (state: FirmwareState) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    await this.#writing?.abandon()
    this.#gate.close()
    this.#listeners.clear()
  }

  /** @throws {HalError} as the faults say */
  accept(operation: string): Promise<void> {
    return this.#gate.accept(operation)
  }

  error(code: HalErrorCode, reason: string): HalError {
    return new HalError(code, `${this.#name}: ${reason}`)
  }

  #start(): void {
    const { running, next } = this.#kept
    if (next === running) return
    this.#change(this.faults.startFails ? { next: running } : { running: next, committed: false })
  }

  #change(change: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...change }
    this.#memory.save(this.#kept)
    this.#listeners.emit(this.state)
  }
}

class Writing implements FirmwareWriting {
  readonly #component: SimulatedFirmware
  readonly #image: FirmwareImage
  readonly #length: number
  readonly #timeOfByte: number
  readonly #end: (whole: boolean) => void
  #part = 0
  #left: number
  #digest = createHash('sha256')
  #written = 0
  #sound = true
  #over = false

  /** @param length bytes of the image */
  constructor(
    component: SimulatedFirmware,
    image: FirmwareImage,
    length: number,
    timeOfByte: number,
    end: (whole: boolean) => void
  ) {
    this.#component = component
    this.#image = image
    this.#length = length
    this.#timeOfByte = timeOfByte
    this.#end = end
    this.#left = image.parts[0]?.length ?? 0
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#accept('write')
    const { cutAfter = Number.POSITIVE_INFINITY, cutAt = Number.POSITIVE_INFINITY } = this.#component.faults
    this.#written += bytes.length
    const most = Math.min(cutAfter, Math.floor(cutAt * this.#length))
    if (this.#written > most) throw this.#component.error('EIO', `the transfer broke off after ${most} bytes`)
    for (let rest = bytes; rest.length > 0; ) {
      if (this.#left === 0) throw this.#component.error('EINVAL', 'the image has more bytes than announced')
      const taken = rest.subarray(0, this.#left)
      rest = rest.subarray(taken.length)
      this.#digest.update(taken)
      this.#left -= taken.length
      if (this.#left === 0) this.#endPart()
    }
    const time = this.#timeOfByte * bytes.length
    if (time > 0) await sleep(time)
  }

  async verify(): Promise<void> {
    await this.#accept('verify')
    const { badSignature, damaged } = this.#component.faults
    if (this.#part < this.#image.parts.length) throw this.#component.error('EINVAL', 'bytes of the image are missing')
    if (badSignature) throw this.#component.error('EINVAL', 'the signature of the image is not taken')
    if (damaged || !this.#sound) throw this.#component.error('EIO', 'what was read back is not what was written')
    this.#over = true
    this.#end(true)
  }

  async abandon(): Promise<void> {
    if (this.#over) return
    this.#over = true
    this.#end(false)
  }

  async #accept(operation: string): Promise<void> {
    await this.#component.accept(operation)
    if (this.#over) throw this.#component.error('ENODEV', 'the image is no longer written')
  }

  #endPart(): void {
    const { sha256 } = this.#image.parts[this.#part]!
    this.#sound &&= this.#digest.digest('hex') === sha256
    this.#digest = createHash('sha256')
    this.#part += 1
    this.#left = this.#image.parts[this.#part]?.length ?? 0
  }
}

function isKept(state: unknown, slots: number): boolean {
  const { slots: kept, running, next, committed } = (state ?? {}) as Partial<Kept>
  const isSlot = (slot: unknown) => Number.isInteger(slot) && (slot as number) >= 0 && (slot as number) < slots
  const isVersion = (version: unknown) => version === undefined || typeof version === 'string'
  return (
    Array.isArray(kept) &&
    kept.length === slots &&
    kept.every((each) => isVersion(each?.version)) &&
    isSlot(running) &&
    isSlot(next) &&
    typeof committed === 'boolean'
  )
}
