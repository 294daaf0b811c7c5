import type { SensorStatistics } from '#data/sensors'
import type { Sensors } from '#hal/sensors.ts'
import type { Members, Reader } from '#runtime/contract'
import { readingsOf } from '#runtime/store/revisions.ts'

/** What is counted of a sensor, in the order of its cells. */
const [sinceAt, highest, highestAt, lowest, lowestAt, average, count, cells] = [0, 1, 2, 3, 4, 5, 6, 7]

/** The highest, the lowest and the average reading of each sensor since the start of the controller. In memory alone. */
export class Statistics {
  readonly #cells = new Map<string, Float64Array>()
  readonly #declared: (chassis: string) => readonly { readonly number: number }[]

  /** @param declared the sensors of a chassis */
  constructor(
    devices: ReadonlyMap<string, Sensors>,
    declared: (chassis: string) => readonly { readonly number: number }[],
    now: () => number
  ) {
    this.#declared = declared
    for (const [chassis, sensors] of devices) {
      const all = declared(chassis)
      const counted = new Float64Array(all.length * cells)
      this.#cells.set(chassis, counted)
      sensors.on(() => {
        for (const [index, { number }] of all.entries()) {
          const reading = sensors.read(number)
          if (reading !== undefined) add(counted, index * cells, reading, now)
        }
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

  #of(chassis: string, number: number): SensorStatistics | undefined {
    const index = this.#declared(chassis).findIndex((each) => each.number === number)
    const own = this.#cells.get(chassis)?.subarray(index * cells, (index + 1) * cells)
    if (index < 0 || own === undefined || own[count] === 0) return undefined
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

function add(counted: Float64Array, at: number, reading: number, now: () => number): void {
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
