import { existsSync, writeFileSync } from 'node:fs'
import { HalError } from '../errors.ts'
import { checkLimit, type PowerLimit, type PowerRange } from '../power-limit.ts'
import { failure, known, readText } from './read.ts'
import { deviceFolder } from './sensors.ts'

interface Bounds {
  /** Watts; needed if the kernel does not say it. */
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
}

/** The back end `hwmon` of a board file, e.g. `{ "type": "hwmon", "device": "occ", "input": "power1" }`. */
export interface HwmonPowerLimitOptions extends Bounds {
  readonly name: string
  /** The text of the device's file `name`. */
  readonly device: string
  /** The beginning of the files' names. */
  readonly input: string
  /** The folder of the devices. Default `/sys/class/hwmon`. */
  readonly folder?: string
}

/** The back end `powercap` of a board file, e.g. `{ "type": "powercap", "zone": "intel-rapl:0", "minimum": 40 }`. */
export interface PowercapOptions extends Bounds {
  readonly name: string
  /** The name of its folder. */
  readonly zone: string
  /** The number of the constraint. Default 0: of RAPL, the one over the longer time. */
  readonly constraint?: number
  /** The folder of the zones. Default `/sys/class/powercap`. */
  readonly folder?: string
}

const bounds = {
  minimum: { type: 'number', minimum: 0, description: 'The lowest limit, in watts; default: what the kernel says' },
  maximum: { type: 'number', minimum: 0, description: 'The highest limit, in watts; default: what the kernel says' }
} as const

/** {@link HwmonPowerLimitOptions} in a board file. */
export const hwmonPowerLimitOptions = {
  type: 'object',
  required: ['device', 'input'],
  properties: {
    device: { type: 'string', description: 'The content of the file name of the device' },
    input: { type: 'string', pattern: '^power\\d+$', description: 'The beginning of the name of the file: power1' },
    folder: { type: 'string', description: 'Default /sys/class/hwmon' },
    ...bounds
  }
} as const

/** {@link PowercapOptions} in a board file. */
export const powercapOptions = {
  type: 'object',
  required: ['zone'],
  properties: {
    zone: { type: 'string', pattern: '^[^/]+$', description: 'The folder of the zone, such as intel-rapl:0' },
    constraint: { type: 'integer', minimum: 0, description: 'Default 0' },
    folder: { type: 'string', description: 'Default /sys/class/powercap' },
    ...bounds
  }
} as const

/**
 * A limit that a driver of the kernel holds (Linux, Documentation/hwmon/sysfs-interface.rst).
 *
 * @throws {HalError} one sentence: `ENODEV` when there is no such device or limit, `EINVAL` for a range that is unknown
 */
export function hwmonPowerLimit(options: HwmonPowerLimitOptions): PowerLimit {
  const { name, device, input, folder = '/sys/class/hwmon' } = options
  const path = `${deviceFolder(name, folder, device, `${input}_cap`)}/${input}_cap`
  return new KernelLimit(name, path, rangeOf(options, `${path}_min`, `${path}_max`))
}

/**
 * A limit of a zone of the power capping framework, such as RAPL (Linux, Documentation/power/powercap/powercap.rst).
 *
 * @throws {HalError} as above
 */
export function powercapLimit(options: PowercapOptions): PowerLimit {
  const { name, zone, constraint = 0, folder = '/sys/class/powercap' } = options
  const path = `${folder}/${zone}/constraint_${constraint}`
  if (!existsSync(`${path}_power_limit_uw`))
    throw new HalError('ENODEV', `${name}: there is no ${path}_power_limit_uw: there is ${known(folder)}`)
  return new KernelLimit(
    name,
    `${path}_power_limit_uw`,
    rangeOf(options, `${path}_min_power_uw`, `${path}_max_power_uw`)
  )
}

/** A range in watts: that of the board file, and else that of the kernel's files. */
function rangeOf({ name, ...board }: Bounds & { readonly name: string }, lowest: string, highest: string) {
  const minimum = board.minimum ?? readWatts(lowest)
  const maximum = board.maximum ?? readWatts(highest)
  if (minimum === undefined || maximum === undefined || minimum > maximum)
    throw new HalError('EINVAL', `${name}: it needs a minimum and a maximum, which the kernel does not say`)
  return { minimum, maximum }
}

/** The kernel's files have microwatts. A maximum of 0 is unknown. */
const unit = 1_000_000

function readWatts(path: string): number | undefined {
  const text = readText(path) ?? ''
  return /^[1-9]\d*$/.test(text) ? Number(text) / unit : undefined
}

/** Without a limit, the file has the highest one. */
class KernelLimit implements PowerLimit {
  readonly range: PowerRange
  readonly #name: string
  readonly #path: string
  #watts: number | undefined
  #closed = false

  constructor(name: string, path: string, range: PowerRange) {
    this.#name = name
    this.#path = path
    this.range = range
  }

  get watts(): number | undefined {
    return this.#watts
  }

  async set(watts: number | undefined): Promise<void> {
    if (this.#closed) throw new HalError('ENODEV', `${this.#name}: the limit is closed`)
    checkLimit(this.#name, this.range, watts)
    try {
      writeFileSync(this.#path, String(Math.round((watts ?? this.range.maximum) * unit)), { flag: 'r+' })
    } catch (error) {
      throw failure(this.#name, error)
    }
    this.#watts = watts
  }

  async close(): Promise<void> {
    this.#closed = true
  }
}
