import type { SensorStatistics } from '#data/sensors'
import type { Sensors } from '#hal/sensors.ts'
import type { Members, Reader } from '#runtime/contract'
import { readingsOf } from '#runtime/store/revisions.ts'

/** What is counted of a sensor, in the order of its cells. */
const [sinceAt, highest, highestAt, lowest, lowestAt, average, count, cells] = [0, 1, 2, 3, 4, 5, 6, 7]

/**
 * The highest, the lowest and the average reading of each sensor, and of all power together, since the start of the
 * controller or a reset. In memory alone.
 */
export class Statistics {
  readonly #cells = new Map<string, Float64Array>()
  readonly #devices: ReadonlyMap<string, Sensors>
  readonly #declared: (chassis: string) => readonly Declared[]
  readonly #now: () => number

  /** @param declared the sensors of a chassis */
  constructor(
    devices: ReadonlyMap<string, Sensors>,
    declared: (chassis: string) => readonly Declared[],
    now: () => number
  ) {
    this.#devices = devices
    this.#declared = declared
    this.#now = now
    for (const [chassis, sensors] of devices) {
      const all = declared(chassis)
      const counted = new Float64Array((all.length + 1) * cells)
      const supplies = suppliesIn(all)
      this.#cells.set(chassis, counted)
      sensors.on(() => {
        for (const [index, { number }] of all.entries()) add(counted, index * cells, sensors.read(number), now)
        add(counted, all.length * cells, sumOf(supplies, sensors), now)
      })
    }
  }

  members(reader: Reader): Members<'sensorStatistics'> {
    return {
      sensorStatistics: (chassis, number) => {
        reader.track(readingsOf(chassis))
        return this.#of(chassis, number)
      }
    }
  }

  /** Begins anew with the present readings. @param sensor none: all of the chassis */
  reset(chassis: string, sensor?: number | 'TotalPower'): void {
    const all = this.#declared(chassis)
    const sensors = this.#devices.get(chassis)
    for (const one of sensor === undefined ? [...all.map(({ number }) => number), 'TotalPower' as const] : [sensor]) {
      const own = this.#own(chassis, one)?.fill(0)
      const reading = sensors && (one === 'TotalPower' ? sumOf(suppliesIn(all), sensors) : sensors.read(one))
      if (own !== undefined) add(own, 0, reading, this.#now)
    }
  }

  /** The cells of a sensor. */
  #own(chassis: string, sensor: number | 'TotalPower'): Float64Array | undefined {
    const all = this.#declared(chassis)
    const index = sensor === 'TotalPower' ? all.length : all.findIndex(({ number }) => number === sensor)
    return index < 0 ? undefined : this.#cells.get(chassis)?.subarray(index * cells, (index + 1) * cells)
  }

  #of(chassis: string, sensor: number | 'TotalPower'): SensorStatistics | undefined {
    const own = this.#own(chassis, sensor)
    if (own === undefined || own[count] === 0) return undefined
    return {
      since: own[sinceAt]!,
      highest: own[highest]!,
      highestAt: own[highestAt]!,
      lowest: own[lowest]!,
      lowestAt: own[lowestAt]!,
      average: own[average]!
    }
  }
}

interface Declared {
  readonly number: number
  readonly kind?: string
}

const suppliesIn = (all: readonly Declared[]) => all.flatMap(({ kind, number }) => (kind === 'power' ? [number] : []))

/** The sum of readings; undefined if one cannot be read, or without any. */
export function sumOf(numbers: readonly number[], sensors: Pick<Sensors, 'read'>): number | undefined {
  let sum: number | undefined
  for (const number of numbers) {
    const reading = sensors.read(number)
    if (reading === undefined) return undefined
    sum = (sum ?? 0) + reading
  }
  return sum
}

function add(counted: Float64Array, at: number, reading: number | undefined, now: () => number): void {
  if (reading === undefined) return
  const isFirst = counted[at + count] === 0
  const times = ++counted[at + count]!
  if (isFirst) counted[at + sinceAt] = now()
  counted[at + average]! += (reading - counted[at + average]!) / times
  if (isFirst || reading > counted[at + highest]!) {
    counted[at + highest] = reading
    counted[at + highestAt] = now()
  }
  if (isFirst || reading < counted[at + lowest]!) {
    counted[at + lowest] = reading
    counted[at + lowestAt] = now()
  }
}
