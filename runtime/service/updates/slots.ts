import { type Manifest, takesFiles, type Update, waitsForReset } from '#data/updates'
import { readBootId } from '#hal/boot-id.ts'
import type { Firmware } from '#hal/firmware.ts'
import type { Devices } from '../machine/machine.ts'
import type { UpdateRecords } from './records.ts'

/** The slots of the components of updates, by the ids of the updates. */
export class Slots {
  readonly #records: UpdateRecords
  readonly #firmware: Devices['firmware']

  constructor(records: UpdateRecords, firmware: Devices['firmware']) {
    this.#records = records
    this.#firmware = firmware
  }

  of(id: string): Firmware | undefined {
    return this.#firmware.get(this.#records.get(id)?.component ?? '')
  }

  /** Whether the component tells what its slots hold. */
  isKnown(id: string): boolean {
    return this.of(id)?.state.slots.length !== 0
  }

  isOnTrial(id: string): boolean {
    return this.of(id)?.state.committed === false
  }

  /** Whether the component is installed beside what runs, and is not the one to start from before it is activated. */
  isBeside(id: string): boolean {
    return this.#records.component(id)?.kind === 'controller' && !takesFiles(this.#records.machine, this.#id(id))
  }

  isRunning(id: string): boolean {
    const slot = this.#records.get(id)?.slot
    return slot !== undefined && this.of(id)?.state.running === slot
  }

  /** Whether the controller was to start with the image, or has done so. */
  isReset(id: string): boolean {
    const stage = this.#records.get(id)?.stage
    return stage === 'Resetting' || (stage === 'Written' && this.isRunning(id))
  }

  /** Whether the reset that an update waits for is still to come: this service alone has started again. */
  isToCome(id: string): boolean {
    const bootId = this.#records.get(id)?.bootId
    return this.of(id)?.needsReset === true && bootId !== undefined && bootId === readBootId()
  }

  /** Whether the update can end without leaving work half done. A write that has begun is better completed. */
  mayEnd({ stage, applyTime }: Update, id: string): boolean {
    if (stage === 'Writing' || this.isRunning(id)) return false
    return stage !== 'Resetting' || waitsForReset(applyTime)
  }

  /** The manifest with the version that the component tells, which that of a file of its maker does not have. */
  installed(id: string, slot: number): Manifest {
    const { manifest } = this.#records.target(id)
    return { ...manifest, version: this.of(id)?.state.slots[slot]?.version ?? manifest.version }
  }

  /** Makes the running version the one that starts next. */
  async selectRunning(id: string): Promise<void> {
    const { running, next } = this.of(id)?.state ?? {}
    if (running !== undefined && next !== running) await this.of(id)?.activate(running)
  }

  #id(id: string): string {
    return this.#records.get(id)?.component ?? ''
  }
}
