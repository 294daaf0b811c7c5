import { hasCondition } from '#data/health'
import { effective, powerLimitOf, powerLimitUri } from '#data/power'
import { powerSensors, sumOfReadings } from '#data/sensors'
import type { Clock } from '#hal/clock.ts'
import type { Sensors } from '#hal/sensors.ts'
import { type Event, event } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import type { Devices, Hardware } from '../machine/machine.ts'

/** The name of the condition. */
const exceeded = 'exceeded'

/** A limit and whether it is held. It is kept in memory, because it is checked after each poll of the sensors. */
interface Watched {
  /** The sensors of the power supplies. */
  readonly supplies: readonly number[]
  /** Watts; `null` if the power is not to be watched. */
  limit: number | null
  /** Milliseconds that the power may be above it. */
  correction: number
  isExceeded: boolean
  /** Since when the power is on the other side of the limit, by the clock that never leaps. */
  since: number | undefined
}

/**
 * Sets the limits of the power that clients want, and watches whether they are held. A power that stays above its limit
 * for longer than it may is a condition of the control.
 */
export class PowerLimits {
  readonly #store: Store
  readonly #hardware: Hardware
  readonly #events: Pick<Events, 'emit'>
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #settling: number
  #watched: Map<string, Watched> | undefined

  /** @param settling seconds for which the power must be within its limit again */
  constructor(
    store: Store,
    hardware: Hardware,
    events: Pick<Events, 'emit'>,
    clock: Pick<Clock, 'elapsed'>,
    settling: number
  ) {
    this.#store = store
    this.#hardware = hardware
    this.#events = events
    this.#clock = clock
    this.#settling = settling
  }

  async open({ powerLimits, sensors }: Pick<Devices, 'powerLimits' | 'sensors'>): Promise<void> {
    for (const chassis of sensors.keys()) {
      const limit = powerLimits.get(chassis)
      if (limit !== undefined) {
        // A limit that another program holds is not Minnow's to set at a start.
        if (limit.shared === undefined) await this.#set(chassis)
        this.#watch(chassis, sensors.get(chassis))
      } else if (this.#isExceeded(chassis)) void this.#events.emit(held(chassis))
    }
    this.#store.on('powerLimit', (chassis) => this.#watch(chassis, sensors.get(chassis)))
  }

  /** Checks the limit after each poll, as soon as a limit was set once. */
  #watch(chassis: string, sensors: Sensors | undefined): void {
    const wanted = this.#wanted(chassis)
    const watched = this.#watched?.get(chassis)
    if (watched !== undefined) {
      Object.assign(watched, wanted)
      return
    }
    const isExceeded = this.#isExceeded(chassis)
    if (sensors === undefined || (wanted.limit === null && !isExceeded)) return
    const outputs = powerSensors(this.#hardware.chassis(chassis))
    const next: Watched = { supplies: outputs, isExceeded, since: undefined, ...wanted }
    this.#watched ??= new Map()
    this.#watched.set(chassis, next)
    sensors.on(() => this.#check(chassis, sensors, next))
  }

  #isExceeded(chassis: string): boolean {
    return hasCondition(this.#store, powerLimitUri(chassis), exceeded)
  }

  /** The limit and the time that clients have set. */
  #wanted(chassis: string): Pick<Watched, 'limit' | 'correction'> {
    const { exception, correction } = powerLimitOf(this.#store, chassis)
    return { limit: exception === 'NoAction' ? null : this.#limit(chassis), correction }
  }

  /** The hardware may have forgotten its limit. One that fails shows when the power is above it. */
  async #set(chassis: string): Promise<void> {
    try {
      await this.#hardware.perform({ kind: 'limitPower', chassis, watts: this.#limit(chassis) })
    } catch (error) {
      this.#store.log.warning('the power limit cannot be set', { chassis, cause: (error as Error).message })
    }
  }

  #check(chassis: string, sensors: Sensors, watched: Watched): void {
    const { limit, correction, isExceeded, supplies } = watched
    if (limit === null && !isExceeded) return
    const power = sumOfReadings(supplies.map((number) => sensors.read(number)))
    if (power === undefined) return
    const isOver = limit !== null && power > limit
    const now = this.#clock.elapsed()
    watched.since = isOver === isExceeded ? undefined : (watched.since ?? now)
    if (watched.since === undefined || now - watched.since < (isOver ? correction : this.#settling * 1000)) return
    Object.assign(watched, { isExceeded: isOver, since: undefined })
    if (isOver) this.#tell(chassis, power, limit)
    else void this.#events.emit(held(chassis))
  }

  /** The watts that clients want; `null` without a limit. */
  #limit(chassis: string): number | null {
    const range = this.#hardware.powerRange(chassis)
    return range === undefined ? null : effective(range, powerLimitOf(this.#store, chassis))
  }

  #tell(chassis: string, power: number, limit: number): void {
    const args = [chassis, String(power), String(limit)] as const
    void this.#events.emit({
      ...event('MgmtEvents.PowerLimitExceeded', powerLimitUri(chassis), ...args),
      raises: exceeded
    })
    if (powerLimitOf(this.#store, chassis).exception === 'HardPowerOff') this.#cut(chassis)
  }

  /** Switches the hosts of a chassis off. */
  #cut(chassis: string): void {
    for (const system of this.#hardware.chassis(chassis).systems) {
      this.#hardware.perform({ kind: 'power', operation: 'forceOff', system }).catch((error: Error) => {
        this.#store.log.warning('a host above its power limit was not switched off', { system, cause: error.message })
      })
    }
  }
}

/** The event at the end of the condition. */
function held(chassis: string): Event {
  return { ...event('MgmtEvents.PowerLimitHeld', powerLimitUri(chassis), chassis), clears: exceeded }
}
