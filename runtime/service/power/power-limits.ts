import { hasCondition } from '#data/health'
import { effective, powerLimitOf, powerLimitUri } from '#data/power'
import { boardSensors, sumOfReadings } from '#data/sensors'
import type { Clock } from '#hal/clock.ts'
import type { Sensors } from '#hal/sensors.ts'
import { event } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import type { Devices, Hardware } from '../machine/machine.ts'

/** The name of the condition. */
const exceeded = 'exceeded'

/** How it goes with a limit. */
interface Watched {
  /** Since when the power is on the other side of the limit, by the clock that never leaps. */
  since?: number | undefined
  /** Events are on their way to the disk. */
  isTelling?: boolean
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

  async open(devices: Pick<Devices, 'powerLimits' | 'sensors'>): Promise<void> {
    for (const [chassis, sensors] of devices.sensors) {
      const watched: Watched = {}
      if (devices.powerLimits.has(chassis)) {
        await this.#set(chassis)
        sensors.on(() => this.#check(chassis, sensors, watched))
      } else if (this.#isExceeded(chassis)) this.#tell(chassis, watched, 0, undefined)
    }
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
    const { exception, correction } = powerLimitOf(this.#store, chassis)
    const limit = exception === 'NoAction' ? null : this.#limit(chassis)
    const wasOver = this.#isExceeded(chassis)
    if (limit === null && !wasOver) return
    const power = this.#power(chassis, sensors)
    if (power === undefined) return
    const isOver = limit !== null && power > limit
    if (isOver === wasOver) watched.since = undefined
    else if (this.#lasts(watched, isOver ? correction : this.#settling * 1000))
      this.#tell(chassis, watched, power, isOver ? limit : undefined)
  }

  /** The watts that clients want; `null` without a limit. */
  #limit(chassis: string): number | null {
    const range = this.#hardware.powerRange(chassis)
    return range === undefined ? null : effective(range, powerLimitOf(this.#store, chassis))
  }

  #power(chassis: string, sensors: Sensors): number | undefined {
    const outputs = boardSensors(this.#hardware.chassis(chassis)).filter(({ kind }) => kind === 'power')
    return sumOfReadings(outputs.map(({ number }) => sensors.read(number)))
  }

  #isExceeded(chassis: string): boolean {
    return hasCondition(this.#store, powerLimitUri(chassis), exceeded)
  }

  #lasts(watched: Watched, milliseconds: number): boolean {
    const now = this.#clock.elapsed()
    watched.since ??= now
    return now - watched.since >= milliseconds
  }

  /** @param limit that is not held; undefined if none is exceeded */
  #tell(chassis: string, watched: Watched, power: number, limit: number | undefined): void {
    if (watched.isTelling) return
    Object.assign(watched, { isTelling: true, since: undefined })
    const told = this.#events.emit(
      limit === undefined
        ? { ...event('MgmtEvents.PowerLimitHeld', powerLimitUri(chassis), chassis), clears: exceeded }
        : {
            ...event('MgmtEvents.PowerLimitExceeded', powerLimitUri(chassis), chassis, String(power), String(limit)),
            raises: exceeded
          }
    )
    void told.finally(() => {
      watched.isTelling = false
    })
    if (limit !== undefined && powerLimitOf(this.#store, chassis).exception === 'HardPowerOff') this.#cut(chassis)
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
