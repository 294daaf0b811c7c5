import { HalError } from '../errors.ts'
import type { Media } from '../media.ts'
import type { Power } from '../power.ts'
import { type MachineOptions, QemuMachine } from './machine.ts'
import { QemuMedia } from './media.ts'
import { QemuPower, type QemuPowerOptions } from './power.ts'

/** Of the power of a virtual machine, which is what there is of it. Plain JSON but for `warn`. */
export interface QemuSystemOptions extends Omit<MachineOptions, 'name'>, QemuPowerOptions {
  readonly name: string
  /** The name by which its drives and its files refer to it; unique on the board. Default `name`. */
  readonly machine?: unknown
}

/** Of a drive. Plain JSON. */
export interface QemuDriveOptions {
  /** The drive's own, unique on the board: letters, digits, `-`, `_` and `.` after a letter. */
  readonly name: string
  /** Which machine it is built into. */
  readonly machine?: unknown
}

/** Back ends for the virtual machines of a board, each of which has its power and its drives in common. */
export function qemuMachines() {
  const machines = new Map<string, QemuMachine>()
  return {
    /** @throws {HalError} `EINVAL` for options that no machine has */
    power(options: QemuSystemOptions): Power {
      const name = text(options.machine ?? options.name)
      const machine = new QemuMachine({ ...options, name })
      machines.set(name, machine)
      const missing = machine.missing()
      if (missing !== undefined) options.warn(missing.message)
      return new QemuPower(machine, options)
    },

    /** Opened after the power of its machine. @throws {HalError} `EINVAL` where there is no such machine */
    media({ name, machine }: QemuDriveOptions): Media {
      const found = machines.get(text(machine))
      if (found === undefined) throw new HalError('EINVAL', `qemu: ${name}: there is no machine ${String(machine)}`)
      return new QemuMedia(found, name)
    }
  }
}

function text(name: unknown): string {
  if (typeof name === 'string' && /^[A-Za-z][\w.-]*$/.test(name)) return name
  throw new HalError('EINVAL', `qemu: ${String(name)} cannot be the name of a machine`)
}
