import { resolve } from 'node:path'
import { HalError } from '../errors.ts'
import type { Media } from '../media.ts'
import type { Power } from '../power.ts'
import { type MachineOptions, QemuMachine } from './machine.ts'
import { QemuMedia } from './media.ts'
import { QemuPower, type QemuPowerOptions } from './power.ts'

/** Of the power of a virtual machine, which is what there is of it. Plain JSON but for `warn`. */
export interface QemuSystemOptions extends Omit<MachineOptions, 'name'>, QemuPowerOptions {
  readonly name: string
  /** What its drives name it by, and its files; unique on the board. Default `name`. */
  readonly machine?: unknown
}

/** Of a drive. Plain JSON. */
export interface QemuDriveOptions {
  /** The drive's own, unique on the board: letters, digits, `-`, `_` and `.` after a letter. */
  readonly name: string
  readonly directory: string
  /** Which machine it is built into. */
  readonly machine?: unknown
}

/** Back ends for virtual machines, each of which has its power and its drives in common. */
export function qemuMachines() {
  /** By directory and name, of which a machine's files are: several services may each have a machine of one name. */
  const machines = new Map<string, QemuMachine>()
  const key = (directory: string, name: string) => `${resolve(directory)}/${name}`
  return {
    /** @throws {HalError} `EINVAL` for options that no machine has */
    power(options: QemuSystemOptions): Power {
      const name = text(options.machine ?? options.name)
      const machine = new QemuMachine({ ...options, name })
      machines.set(key(options.directory, name), machine)
      const missing = machine.missing()
      if (missing !== undefined) options.warn(missing.message)
      return new QemuPower(machine, options)
    },

    /** Opened after the power of its machine. @throws {HalError} `EINVAL` where there is no such machine */
    media({ name, directory, machine }: QemuDriveOptions): Media {
      const found = machines.get(key(directory, text(machine)))
      if (found === undefined) throw new HalError('EINVAL', `qemu: ${name}: there is no machine ${String(machine)}`)
      return new QemuMedia(found, name)
    }
  }
}

function text(name: unknown): string {
  if (typeof name === 'string' && /^[A-Za-z][\w.-]*$/.test(name)) return name
  throw new HalError('EINVAL', `qemu: ${String(name)} cannot be the name of a machine`)
}
