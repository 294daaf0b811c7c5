import { resolve } from 'node:path'
import type { Console } from '../console.ts'
import type { Drive } from '../drives.ts'
import { HalError } from '../errors.ts'
import type { Media } from '../media.ts'
import type { PostCodes } from '../post-codes.ts'
import type { Power } from '../power.ts'
import { QemuConsole } from './console.ts'
import { QemuDrive } from './drive.ts'
import { type MachineOptions, QemuMachine } from './machine.ts'
import { QemuMedia } from './media.ts'
import { QemuPower, type QemuPowerOptions } from './power.ts'

const machineName = /^[A-Za-z][\w.-]*$/

/** Of the power of a virtual machine, which is what there is of it. Plain JSON but for `warn`. */
export interface QemuSystemOptions extends Omit<MachineOptions, 'name'>, QemuPowerOptions {
  readonly name: string
  /** The name by which its drives and its files refer to it; unique on the board. Default `name`. */
  readonly machine?: unknown
}

/** Of a drive, the serial port, or the port of POST codes. Plain JSON. */
export interface QemuPartOptions {
  /** Its own, unique on the board: letters, digits, `-`, `_` and `.` after a letter. */
  readonly name: string
  readonly directory: string
  /** Which machine it is built into. */
  readonly machine?: unknown
}

const text = (description: string) => ({ type: 'string', description }) as const
const count = (description: string) => ({ type: 'integer', minimum: 1, description }) as const
const milliseconds = (description: string) => ({ type: 'number', minimum: 0, description }) as const
const machine = { type: 'string', pattern: machineName.source } as const

/** {@link QemuSystemOptions} in a board file. */
export const qemuSystemOptions = {
  type: 'object',
  properties: {
    machine: {
      ...machine,
      description: 'The name by which its drives refer to it, and of its files; unique on the board'
    },
    qemu: text('The program; default qemu-system-x86_64'),
    firmware: text("OVMF's code; default Debian's"),
    store: text('The flash with the variables: the path of its nvram'),
    memory: count('MiB; default 512'),
    cpus: count('Processors; default 1'),
    disk: text('A disk image; by default no disk'),
    diskSize: count('MiB of a raw disk image that is created if it is missing; default: it is not created'),
    diskFormat: text('Default raw'),
    network: text('For -nic, without an address; default none'),
    mac: text("The address of its network adapter; default QEMU's"),
    uuid: text('For its SMBIOS'),
    serialNumber: text('For its SMBIOS'),
    serialLog: count('Bytes of the log of its serial port; default 1 MiB'),
    arguments: { type: 'array', items: { type: 'string' }, description: 'More arguments, passed unchanged' },
    timeout: milliseconds('Milliseconds for an answer of QEMU; default 10000'),
    gracefulTime: milliseconds('Milliseconds for the shutdown of the operating system; default 300000'),
    offTime: milliseconds('Milliseconds without power in a cold boot; default 5000')
  }
} as const

/** {@link QemuPartOptions} in a board file. */
export const qemuPartOptions = {
  type: 'object',
  required: ['machine'],
  properties: { machine: { ...machine, description: 'The machine that it is a part of' } }
} as const

/** Back ends for virtual machines, each of which has its power and its drives in common. */
export function qemuMachines() {
  /** By directory and name, of which a machine's files are: several services may each have a machine of one name. */
  const machines = new Map<string, QemuMachine>()
  const key = (directory: string, name: string) => `${resolve(directory)}/${name}`
  const machineOf = ({ name, directory, machine }: QemuPartOptions) => {
    const found = machines.get(key(directory, checkName(machine)))
    if (found === undefined) throw new HalError('EINVAL', `qemu: ${name}: there is no machine ${String(machine)}`)
    return found
  }
  return {
    /** @throws {HalError} `EINVAL` for options that no machine has */
    power(options: QemuSystemOptions): Power {
      const name = checkName(options.machine ?? options.name)
      const machine = new QemuMachine({ ...options, name })
      machines.set(key(options.directory, name), machine)
      const missing = machine.missing()
      if (missing !== undefined) options.warn(missing.message)
      return new QemuPower(machine, options)
    },

    /** Opened after the power of its machine. @throws {HalError} `EINVAL` where there is no such machine */
    media: (part: QemuPartOptions): Media => new QemuMedia(machineOf(part), part.name),

    /** Likewise. */
    console: (part: QemuPartOptions): Console => {
      const machine = machineOf(part)
      return new QemuConsole(machine, part.name, machine.serialSocket)
    },

    /** Likewise: its disk. */
    drive: (part: QemuPartOptions): Drive => new QemuDrive(machineOf(part)),

    /** Likewise: what the guest writes to port 0x80. */
    postCodes: (part: QemuPartOptions): PostCodes => {
      const machine = machineOf(part)
      return new QemuConsole(machine, part.name, machine.postSocket)
    }
  }
}

function checkName(name: unknown): string {
  if (typeof name === 'string' && machineName.test(name)) return name
  throw new HalError('EINVAL', `qemu: ${String(name)} cannot be the name of a machine`)
}
