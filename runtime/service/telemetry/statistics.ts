import { type SensorStatistics, sumOfReadings } from '#data/sensors'
import type { Sensors } from '#hal/sensors.ts'
import type { Members, Reader } from '#runtime/contract'
import { pollsOf } from '#runtime/store/revisions.ts'

/**
 * The cells of the statistics of a sensor: among others the sum and the number of the readings before the present one,
 * the present one, and the poll that found it.
 */
const [since, highest, highestAt, lowest, lowestAt, sum, count, present, found, cells] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

interface Declared {
  readonly number: number
  readonly kind?: string
}

interface Counted {
  /** Of each declared sensor, and at the end those of all power together. */
  readonly cells: Float64Array
  readonly supplies: readonly number[]
  polls: number
}

/**
 * The highest, the lowest and the average reading of each sensor, and of all power together, since the start of the
 * controller or a reset. In memory alone. A poll costs as much as it has new readings: how long a reading lasts is
 * counted when it ends, or is asked for.
 */
export class Statistics {
  readonly #counted = new Map<string, Counted>()
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
      const supplies = all.flatMap(({ kind, number }) => (kind === 'power' ? [number] : []))
      const counted: Counted = { cells: new Float64Array((all.length + 1) * cells), supplies, polls: 0 }
      this.#counted.set(chassis, counted)
      const indexes = indexesOf(all)
      sensors.on((changed) => {
        counted.polls += 1
        for (const number of changed) {
          const index = indexes.get(number)
          if (index !== undefined) add(counted, index * cells, sensors.read(number), now)
        }
        if (supplies.some((number) => changed.has(number)))
          add(counted, all.length * cells, sumOfReadings(supplies.map((number) => sensors.read(number))), now)
      })
    }
  }

  members(reader: Reader): Members<'sensorStatistics'> {
    return {
      sensorStatistics: (chassis, number) => {
        reader.track(pollsOf(chassis))
        return this.#of(chassis, number)
      }
    }
  }

  /** Begins anew with the present readings. @param sensor none: all of the chassis */
  reset(chassis: string, sensor?: number | 'TotalPower'): void {
    const counted = this.#counted.get(chassis)
    const sensors = this.#devices.get(chassis)
    if (counted === undefined || sensors === undefined) return
    const all = [...this.#declared(chassis).map(({ number }) => number), 'TotalPower' as const]
    for (const [index, one] of all.entries()) {
      if (sensor !== undefined && one !== sensor) continue
      counted.cells.fill(0, index * cells, (index + 1) * cells)
      const reading =
        one === 'TotalPower' ? sumOfReadings(counted.supplies.map((number) => sensors.read(number))) : sensors.read(one)
      add(counted, index * cells, reading, this.#now)
    }
  }

  #of(chassis: string, sensor: number | 'TotalPower'): SensorStatistics | undefined {
    const all = this.#declared(chassis)
    const index = sensor === 'TotalPower' ? all.length : indexesOf(all).get(sensor)
    const counted = this.#counted.get(chassis)
    if (index === undefined || counted === undefined) return undefined
    const own = counted.cells.slice(index * cells, (index + 1) * cells)
    if (own[since] === 0) return undefined
    const isKnown = !Number.isNaN(own[present])
    const times = isKnown ? counted.polls + 1 - own[found]! : 0
    return {
      since: own[since]!,
      highest: own[highest]!,
      highestAt: own[highestAt]!,
      lowest: own[lowest]!,
      lowestAt: own[lowestAt]!,
      average: (own[sum]! + (isKnown ? own[present]! * times : 0)) / (own[count]! + times)
    }
  }
}

/** The indexes of sensors by their numbers, once for all controllers of a fleet that have the same. */
const known = new WeakMap<readonly Declared[], ReadonlyMap<number, number>>()

function indexesOf(sensors: readonly Declared[]): ReadonlyMap<number, number> {
  const indexes = known.get(sensors) ?? new Map(sensors.map(({ number }, index) => [number, index]))
  known.set(sensors, indexes)
  return indexes
}

/** Counts a new reading of a sensor; undefined: it cannot be read. */
function add({ cells: own, polls }: Counted, at: number, reading: number | undefined, now: () => number): void {
  if (!Number.isNaN(own[at + present]) && own[at + since] !== 0) {
    own[at + count]! += polls - own[at + found]!
    own[at + sum]! += own[at + present]! * (polls - own[at + found]!)
  }
  own[at + present] = reading ?? Number.NaN
  own[at + found] = polls
  if (reading === undefined) return
  const isFirst = own[at + since] === 0
  if (isFirst) own[at + since] = now()
  if (isFirst || reading > own[at + highest]!) {
    own[at + highest] = reading
    own[at + highestAt] = now()
  }
  if (isFirst || reading < own[at + lowest]!) {
    own[at + lowest] = reading
    own[at + lowestAt] = now()
  }
}
