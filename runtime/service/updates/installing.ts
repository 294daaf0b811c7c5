import { closeSync, openSync, readSync } from 'node:fs'
import { HalError } from '#hal/errors.ts'
import type { Firmware, FirmwareState } from '#hal/firmware.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { message } from '#runtime/contract'
import { percentWritten, tens, type UpdateRecords } from './records.ts'
import type { Uploads } from './uploads.ts'

/** Bytes that are written to a component at once. */
const blockSize = 65_536

/** The slot that images are written to. */
const idleSlot = ({ slots, running }: FirmwareState): number => (running + 1) % slots.length

/** Writes the images of update files to the slots of components. */
export class Installing {
  readonly #records: UpdateRecords
  readonly #uploads: Uploads
  /** The most bytes in a second. */
  readonly #rate: number
  readonly #closing = new Listeners<void>()
  #closed = false

  constructor(records: UpdateRecords, uploads: Uploads, rate: number) {
    this.#records = records
    this.#uploads = uploads
    this.#rate = rate
  }

  /**
   * Writes the image of an update to the slot that does not run, and reads it back. A component that takes the files of
   * its maker does this itself.
   *
   * @returns the slot with the image; undefined if the service is closed meanwhile, and the work must be repeated
   * @throws UpdateError, UpdateFault if the file has changed since it arrived
   */
  run(id: string, firmware: Firmware): Promise<number | undefined> {
    return firmware.install === undefined ? this.#write(id, firmware) : this.#install(id, firmware)
  }

  async #install(id: string, firmware: Firmware): Promise<number | undefined> {
    const { manifest } = this.#records.target(id)
    const begun = this.#records.begun(id)
    let percent = begun
    const progress = (installed: number) => {
      const before = percent
      percent = Math.max(before, tens(installed / 100, begun, percentWritten))
      if (percent > before) this.#records.progress(id, percent).catch(() => undefined)
    }
    const sha256 = manifest.parts[0]?.sha256 ?? ''
    const installed = firmware.install?.(this.#uploads.file(id), sha256, progress)
    const closed = new Promise<undefined>((resolve) => this.#closing.add(() => resolve(undefined)))
    const slot = await Promise.race([installed, closed]).catch((error) => {
      const isRefused = error instanceof HalError && error.code === 'EINVAL'
      const key = isRefused ? 'Update.VerificationFailed' : 'Update.ApplyFailed'
      return this.#records.guarded(id, key, () => Promise.reject(error))
    })
    return this.#closed ? undefined : slot
  }

  async #write(id: string, firmware: Firmware): Promise<number | undefined> {
    const { component, manifest } = this.#records.target(id)
    const length = manifest.parts.reduce((sum, part) => sum + part.length, 0)
    const writing = await this.#records.guarded(id, 'Update.ApplyFailed', () => firmware.write(manifest))
    try {
      const begun = this.#records.begun(id)
      let [written, percent] = [0, begun]
      for (const block of this.#blocks(id)) {
        await this.#records.guarded(id, 'Update.ApplyFailed', () => writing.write(block))
        written += block.length
        const before = percent
        percent = tens(written / length, begun, percentWritten)
        if (percent > before) await this.#records.progress(id, percent)
        if (!this.#closed) await sleep((1000 * block.length) / this.#rate, this.#closing)
        if (this.#closed) return undefined
      }
      await this.#records.commit(id, () => ({
        messages: [message('Update.VerifyingAtComponent', manifest.version, component.name)]
      }))
      await this.#records.guarded(id, 'Update.VerificationFailed', () => writing.verify())
      return idleSlot(firmware.state)
    } finally {
      await writing.abandon()
    }
  }

  /** Ends what is under way. */
  close(): void {
    this.#closed = true
    this.#closing.emit()
  }

  /** The parts of the file, block by block. The file is checked once more as it is read. */
  *#blocks(id: string): Iterable<Uint8Array> {
    const reader = this.#uploads.reader()
    const file = openSync(this.#uploads.file(id), 'r')
    try {
      const block = new Uint8Array(blockSize)
      let before = 0
      for (let count = readSync(file, block); count > 0; count = readSync(file, block)) {
        const bytes = block.subarray(0, count)
        reader.add(bytes)
        if (reader.manifest !== undefined) yield bytes.subarray(Math.max(0, reader.partsAt - before))
        before += count
      }
      reader.end()
    } finally {
      closeSync(file)
    }
  }
}
