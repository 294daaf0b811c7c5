import type { Energy } from '#data/power'
import { sumOfReadings } from '#data/sensors'
import type { Clock } from '#hal/clock.ts'
import type { Sensors } from '#hal/sensors.ts'
import type { Members, Reader } from '#runtime/contract'
import { pollsOf } from '#runtime/store/revisions.ts'
import type { Store } from '#runtime/store/store.ts'

/** The meter of a chassis. */
interface Meter extends Energy {
  /** The power at the last poll, in watts; undefined if it could not be read. */
  watts: number | undefined
  /** When that was, and when the energy was stored, by the clock that never leaps. */
  at: number
  storedAt: number
}

/**
 * Counts the energy that each chassis draws: the power between two polls is the average of both. It is stored every so
 * often, and when the service stops, because flash wears: a power cut loses what was counted since.
 */
export class EnergyMeters {
  readonly #meters = new Map<string, Meter>()
  readonly #store: Pick<Store, 'get' | 'commit' | 'log'>
  readonly #clock: Clock

  /**
   * @param supplies the numbers of the sensors that measure the power of a chassis
   * @param every seconds between two writes
   */
  constructor(
    store: Pick<Store, 'get' | 'commit' | 'log'>,
    devices: ReadonlyMap<string, Sensors>,
    supplies: (chassis: string) => readonly number[],
    clock: Clock,
    every: number
  ) {
    this.#store = store
    this.#clock = clock
    for (const [chassis, sensors] of devices) {
      const numbers = supplies(chassis)
      if (numbers.length === 0) continue
      const at = clock.elapsed()
      const stored = store.get('energy', chassis) ?? { joules: 0, since: clock.now() }
      const meter: Meter = { ...stored, watts: undefined, at, storedAt: at }
      this.#meters.set(chassis, meter)
      sensors.on(() => {
        count(meter, sumOfReadings(numbers.map((number) => sensors.read(number))), clock.elapsed())
        if (meter.at - meter.storedAt >= every * 1000) void this.#save(chassis, meter)
      })
    }
  }

  members(reader: Reader): Members<'energy'> {
    return {
      energy: (chassis) => {
        reader.track(pollsOf(chassis))
        return this.#meters.get(chassis)
      }
    }
  }

  /** Counts from zero. */
  async reset(chassis: string): Promise<void> {
    const meter = this.#meters.get(chassis)
    if (meter === undefined) return
    const energy = { joules: 0, since: this.#clock.now() }
    await this.#store.commit({ energy: { [chassis]: energy } })
    Object.assign(meter, energy)
  }

  async close(): Promise<void> {
    for (const [chassis, meter] of this.#meters) await this.#save(chassis, meter)
  }

  async #save(chassis: string, meter: Meter): Promise<void> {
    const { joules, since } = meter
    meter.storedAt = meter.at
    if (joules === (this.#store.get('energy', chassis)?.joules ?? 0)) return
    try {
      await this.#store.commit({ energy: { [chassis]: { joules, since } } })
    } catch (error) {
      this.#store.log.warning('the counted energy was not stored', { chassis, cause: (error as Error).message })
    }
  }
}

function count(meter: Meter, watts: number | undefined, now: number): void {
  if (watts !== undefined && meter.watts !== undefined)
    meter.joules += (((meter.watts + watts) / 2) * (now - meter.at)) / 1000
  meter.watts = watts
  meter.at = now
}
