import { existsSync, readdirSync } from 'node:fs'
import { Listeners } from '#runtime/base/listeners.ts'
import { HalError } from '../errors.ts'
import { Readings } from '../readings.ts'
import { type PartCounters, roundedReading, type Sensor, type Sensors } from '../sensors.ts'
import { linkCounters } from './link-counters.ts'
import { known, readNumber, readText } from './read.ts'

/**
 * The back end `hwmon` of a board file. A sensor without an input is one that cannot be read. For example
 *
 *     { "type": "hwmon", "inputs": { "1": { "device": "tmp75", "input": "temp1" },
 *                                    "11": { "device": "pwmfan", "input": "fan1", "most": 12000 } } }
 */
export interface HwmonOptions {
  readonly name: string
  readonly sensors: readonly Sensor[]
  /** By the number of the sensor. */
  readonly inputs?: unknown
  /** The folder of the devices. Default `/sys/class/hwmon`. */
  readonly folder?: unknown
  /** The network devices of the kernel that ports of cards are, by `<card>/<port>`. */
  readonly links?: Readonly<Record<string, string>>
  /** The folder of the network devices. Default `/sys/class/net`. */
  readonly linkFolder?: string
}

interface Input {
  /** The text of the device's file `name`. */
  readonly device: string
  /** `temp1`, `fan1`, `power1`, `in1`, `curr1`, `energy1`, `humidity1`: the beginning of the file's name. */
  readonly input: string
  /** For a fan: revolutions per minute at full speed. */
  readonly most?: number
}

interface File {
  readonly path: string
  readonly scale: number
  readonly kind: Sensor['kind']
}

/** {@link HwmonOptions} in a board file. */
export const hwmonOptions = {
  type: 'object',
  properties: {
    inputs: {
      type: 'object',
      properties: {},
      additionalProperties: {
        type: 'object',
        required: ['device', 'input'],
        properties: {
          device: { type: 'string', description: 'The content of the file name of the device' },
          input: {
            type: 'string',
            description: 'The beginning of the name of the file: temp1, fan1, power1, in1, curr1'
          },
          most: { type: 'number', description: 'For a fan: revolutions per minute at full speed' }
        }
      },
      description: 'By the number of the sensor. One without an input cannot be read'
    },
    folder: { type: 'string', description: 'Default /sys/class/hwmon' },
    links: {
      type: 'object',
      properties: {},
      additionalProperties: { type: 'string', pattern: '^[^/]+$' },
      description: 'The network devices of the kernel that ports of cards are, by <card>/<port>: { "nic-1/1": "eth1" }'
    },
    linkFolder: { type: 'string', description: 'Default /sys/class/net' }
  }
} as const

/** One unit of a file in units of the sensor (Linux, Documentation/hwmon/sysfs-interface.rst). */
const units = { temp: 0.001, power: 0.000_001, in: 0.001, curr: 0.001, energy: 0.000_001, humidity: 0.001 } as const

/**
 * Sensors that the kernel's drivers read. Drivers of slow sensors measure in advance, so reads do not wait.
 *
 * @throws {HalError} one sentence: `EINVAL` for options that are wrong, `ENODEV` when there is no such device or input
 */
export function hwmonSensors(options: HwmonOptions): Sensors {
  const { name, sensors, inputs = {}, folder = '/sys/class/hwmon' } = options
  const { links = {}, linkFolder = '/sys/class/net' } = options
  const refuse = (reason: string) => new HalError('EINVAL', `${name}: ${reason}`)
  if (typeof folder !== 'string') throw refuse('folder must be a folder')
  if (typeof inputs !== 'object' || inputs === null) throw refuse('inputs must name an input for each sensor')
  const files = new Map<number, File>()
  for (const [key, input] of Object.entries(inputs)) {
    const { kind } = sensors.find(({ number }) => String(number) === key) ?? {}
    if (kind === undefined) throw refuse(`there is no sensor ${key}`)
    if (!isInput(input)) throw refuse(`the input of sensor ${key} needs a device, an input, and a fan its most`)
    const file = `${input.input}_input`
    const path = `${deviceFolder(name, folder, input.device, file)}/${file}`
    files.set(Number(key), { path, scale: scaleOf(input), kind })
  }
  const statistics = new Map(
    Object.entries(links).map(([port, device]) => [port, `${linkFolder}/${device}/statistics`])
  )
  for (const path of statistics.values())
    if (!existsSync(path)) throw new HalError('ENODEV', `${name}: there is no ${path}: there is ${known(linkFolder)}`)
  return new Hwmon(name, files, statistics)
}

class Hwmon implements Sensors {
  readonly #name: string
  readonly #files: ReadonlyMap<number, File>
  readonly #links: ReadonlyMap<string, string>
  readonly #listeners = new Listeners<ReadonlySet<number>>()
  readonly #readings = new Readings()
  #closed = false

  constructor(name: string, files: ReadonlyMap<number, File>, links: ReadonlyMap<string, string>) {
    this.#name = name
    this.#files = files
    this.#links = links
  }

  counts(kind: keyof PartCounters, part: string): boolean {
    return kind === 'links' && this.#links.has(part)
  }

  counters<K extends keyof PartCounters>(kind: K, part: string): PartCounters[K] | undefined {
    const folder = this.#links.get(part)
    if (kind !== 'links' || folder === undefined) return undefined
    return linkCounters(folder) as PartCounters[K] | undefined
  }

  read(number: number): number | undefined {
    return this.#readings.get(number)
  }

  async poll(): Promise<void> {
    try {
      if (this.#closed) throw new HalError('ENODEV', `${this.#name}: poll: the device is closed`)
      for (const [number, { path, scale, kind }] of this.#files) {
        const value = readNumber(path)
        if (value === undefined) this.#readings.delete(number)
        else this.#readings.set(number, roundedReading(kind, value * scale))
      }
      if (this.#files.size > 0 && this.#readings.isEmpty) {
        throw new HalError('EIO', `${this.#name}: no sensor can be read`)
      }
    } finally {
      this.#listeners.emit(this.#readings.changes())
    }
  }

  on(listener: (changed: ReadonlySet<number>) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#readings.clear()
    this.#listeners.clear()
  }
}

function isInput(input: unknown): input is Input {
  const { device, input: file, most } = (input ?? {}) as Partial<Record<keyof Input, unknown>>
  if (typeof device !== 'string' || typeof file !== 'string') return false
  if (/^fan\d+$/.test(file)) return typeof most === 'number' && most > 0
  return /\d$/.test(file) && Object.hasOwn(units, withoutNumber(file)) && most === undefined
}

function scaleOf({ input, most = 1 }: Input): number {
  return input.startsWith('fan') ? 100 / most : units[withoutNumber(input) as keyof typeof units]
}

const withoutNumber = (input: string) => input.replace(/\d+$/, '')

/**
 * The folder of a device that has a file. The numbers of the kernel's folders change from boot to boot: a device is known
 * by its name.
 *
 * @param name of the back end, for the error
 */
export function deviceFolder(name: string, folder: string, device: string, file: string): string {
  const all = existsSync(folder) ? readdirSync(folder).sort() : []
  const named = all.map((each) => ({ path: `${folder}/${each}`, name: readText(`${folder}/${each}/name`) }))
  const found = named.find((each) => each.name === device && existsSync(`${each.path}/${file}`))
  if (found !== undefined) return found.path
  const known = named.flatMap((each) => each.name ?? []).join(', ') || 'none'
  throw new HalError('ENODEV', `${name}: there is no ${file} of a device ${device} in ${folder}: there is ${known}`)
}
