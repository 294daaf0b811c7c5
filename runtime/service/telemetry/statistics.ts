import type { SensorStatistics } from '#data/sensors'
import type { Sensors } from '#hal/sensors.ts'
import type { Members, Reader } from '#runtime/contract'
import { readingsOf } from '#runtime/store/revisions.ts'

type Counted = { -readonly [M in keyof SensorStatistics]: SensorStatistics[M] } & { count: number }

/** The highest, the lowest and the average reading of each sensor since the start of the controller. In memory alone. */
export class Statistics {
  readonly #of = new Map<string, Map<number, Counted>>()

  /** @param numbers of the sensors of each chassis */
  constructor(
    devices: ReadonlyMap<string, Sensors>,
    numbers: (chassis: string) => readonly number[],
    now: () => number
  ) {
    for (const [chassis, sensors] of devices) {
      const all = numbers(chassis)
      const counted = new Map<number, Counted>()
      this.#of.set(chassis, counted)
      sensors.on(() => {
        for (const number of all) {
          const reading = sensors.read(number)
          if (reading !== undefined) count(counted, number, reading, now)
        }
      })
    }
  }

  members(reader: Reader): Members<'sensorStatistics'> {
    return {
      sensorStatistics: (chassis, number) => {
        reader.track(readingsOf(chassis))
        return this.#of.get(chassis)?.get(number)
      }
    }
  }
}

function count(counted: Map<number, Counted>, number: number, reading: number, now: () => number): void {
  const known = counted.get(number)
  if (known === undefined) {
    const at = now()
    const all = { highest: reading, highestAt: at, lowest: reading, lowestAt: at, average: reading }
    counted.set(number, { since: at, ...all, count: 1 })
    return
  }
  known.count += 1
  known.average += (reading - known.average) / known.count
  if (reading > known.highest) Object.assign(known, { highest: reading, highestAt: now() })
  if (reading < known.lowest) Object.assign(known, { lowest: reading, lowestAt: now() })
}
