import { resolve } from 'node:path'
import { HalError } from '../errors.ts'
import { checkImage, type Media, socketOf } from '../media.ts'
import { mediumOf } from './command-line.ts'
import type { QemuMachine } from './machine.ts'

/**
 * A CD-ROM drive of a virtual machine, which is there whether the machine runs or not. QEMU locks the file of what is
 * inserted, so a file that another machine writes is refused.
 */
export class QemuMedia implements Media {
  readonly #machine: QemuMachine
  readonly #drive: string
  #closed = false

  constructor(machine: QemuMachine, drive: string) {
    this.#machine = machine
    this.#drive = drive
    machine.addDrive(drive)
  }

  get image(): string | undefined {
    return this.#machine.media.get(this.#drive)
  }

  async insert(file: string): Promise<void> {
    // QEMU in the background has another working directory.
    const image = socketOf(file) === undefined ? resolve(file) : file
    if (this.#closed) throw new HalError('ENODEV', `qemu: ${this.#drive}: closed`)
    checkImage(`qemu: ${this.#drive}`, image)
    if (image === this.image) return
    if (this.#machine.running) {
      const medium = { ...mediumOf(image), 'read-only-mode': 'read-only', force: true }
      await this.#machine.execute('blockdev-change-medium', { id: this.#drive, ...medium })
    }
    this.#machine.setMedium(this.#drive, image)
  }

  async eject(): Promise<void> {
    if (this.#closed) throw new HalError('ENODEV', `qemu: ${this.#drive}: closed`)
    if (this.image === undefined) return
    if (this.#machine.running) await this.#machine.execute('eject', { id: this.#drive, force: true })
    this.#machine.setMedium(this.#drive, undefined)
  }

  async close(): Promise<void> {
    this.#closed = true
  }
}
