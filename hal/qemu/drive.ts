import type { Drive } from '../drives.ts'
import type { QemuMachine } from './machine.ts'

/** The disk of a virtual machine: the image that its process uses while it runs. */
export class QemuDrive implements Drive {
  readonly #machine: QemuMachine

  constructor(machine: QemuMachine) {
    this.#machine = machine
  }

  erase(): Promise<void> {
    return this.#machine.eraseDisk()
  }

  async close(): Promise<void> {}
}
