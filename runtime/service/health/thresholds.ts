import { thresholdNames } from '#data/board'
import {
  type Condition,
  conditionKey,
  isBeyond,
  isUpper,
  type Limit,
  type Limits,
  limitsOf,
  limitsOfSensor,
  severityOf
} from '#data/health'
import { alertTypes, boardSensors, measuredPart, sensorUri } from '#data/sensors'
import type { Clock } from '#hal/clock.ts'
import type { Sensors } from '#hal/sensors.ts'
import { type Event, event, type Machine, type State, type Writes } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import type { Devices } from '../machine/machine.ts'

/** The messages of a sensor: beyond a threshold, and within it again. The severity is that of the log entry. */
const temperatures = {
  Warning: 'MgmtEvents.TemperatureThresholdExceeded',
  Critical: 'MgmtEvents.TemperatureCriticalThresholdExceeded',
  OK: 'MgmtEvents.TemperatureThresholdCleared'
} as const

const fans = {
  Warning: 'MgmtEvents.FanSlow',
  Critical: 'MgmtEvents.FanStopped',
  OK: 'MgmtEvents.FanSpeedNormal'
} as const

const others = {
  Warning: 'MgmtEvents.SensorThresholdExceeded',
  Critical: 'MgmtEvents.SensorCriticalThresholdExceeded',
  OK: 'MgmtEvents.SensorThresholdCleared'
} as const

function messagesOf(limit: Limit) {
  const { kind } = limit.sensor
  if (kind === 'temperature' && isUpper(limit)) return temperatures
  return kind === 'fan' && !isUpper(limit) ? fans : others
}

/** Of all thresholds. */
const names: ReadonlySet<string> = new Set([...thresholdNames, ...alertTypes])

/** The writes with which what users set for temperatures takes effect: at each start of the controller. */
export function effectiveThresholds(store: State): Writes {
  const waiting = store.keys('temperatureThreshold').flatMap((key) => {
    const pending = store.get('temperatureThreshold', key)?.pending ?? null
    return pending === null ? [] : [[key, { effective: pending, pending: null }] as const]
  })
  return { temperatureThreshold: Object.fromEntries(waiting) }
}

interface Watched {
  limits: Limits
  /** The same, if they are those of this machine alone. */
  own?: Map<number, readonly Limit[]>
  readonly exceeded: Set<Limit>
  /** Since when the reading is on the other side, by the clock that never leaps. */
  readonly since: Map<Limit, number>
  /** Whether the hosts were on at the last check; undefined before it. */
  wasOn: boolean | undefined
}

/**
 * Watches the sensors of a board. A reading beyond a threshold is a condition of the part, with an event at its beginning
 * and at its end. A reading that crosses the threshold again and again is reported once: it must stay within for the
 * settling time.
 */
export class Thresholds {
  readonly #store: Pick<Store, 'get' | 'keys' | 'on'>
  readonly #machine: Pick<Machine, 'board' | 'power'>
  readonly #events: Pick<Events, 'emit'>
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #settling: number
  /** By chassis. */
  readonly #watched = new Map<string, Watched>()

  /** @param settling seconds for which a reading must be back */
  constructor(
    store: Pick<Store, 'get' | 'keys' | 'on'>,
    machine: Pick<Machine, 'board' | 'power'>,
    events: Pick<Events, 'emit'>,
    clock: Pick<Clock, 'elapsed'>,
    settling: number
  ) {
    this.#store = store
    this.#machine = machine
    this.#events = events
    this.#clock = clock
    this.#settling = settling
  }

  watch(devices: Pick<Devices, 'sensors'>): void {
    for (const [id, sensors] of devices.sensors) {
      const chassis = this.#machine.board.chassis[id]
      const limits: Limits = chassis === undefined ? new Map() : limitsOf(this.#store, id, chassis)
      const isExceeded = (limit: Limit) => this.#store.get('condition', this.#keyOf(id, limit)) !== undefined
      this.#watched.set(id, {
        limits,
        exceeded: new Set(all(limits).filter(isExceeded)),
        since: new Map(),
        wasOn: undefined
      })
      sensors.on((changed) => this.#check(id, sensors, changed))
    }
    this.#forget()
    this.#store.on('sensorThreshold', (key) => {
      const id = key.slice(0, key.lastIndexOf('/'))
      const number = Number(key.slice(id.length + 1))
      const sensors = devices.sensors.get(id)
      if (sensors === undefined) return
      const gone = this.#change(id, number)
      const events = gone.flatMap((limit) => this.#crossed(id, limit, false, sensors.read(number) ?? limit.reading))
      if (events.length > 0) void this.#events.emit(...events)
      this.#check(id, sensors, new Set([number]))
    })
  }

  /** Ends the conditions of thresholds that are no longer there, such as those of another board file. */
  #forget(): void {
    const conditions = this.#store.keys('condition')
    if (conditions.length === 0) return
    const present = [...this.#watched].flatMap(([id, { limits }]) => all(limits).map((limit) => this.#keyOf(id, limit)))
    const known = new Set(present)
    const events = conditions.flatMap((key): Event[] => {
      const { origin, args } = this.#store.get('condition', key) as Condition
      const clears = key.slice(origin.length + 1)
      if (known.has(key) || !names.has(clears)) return []
      return [{ ...event('MgmtEvents.PartOK', origin, args[0] ?? ''), clears }]
    })
    if (events.length > 0) void this.#events.emit(...events)
  }

  /** Takes over the thresholds of a sensor as they are now. @returns those that were exceeded, and no longer exist */
  #change(id: string, number: number): Limit[] {
    const chassis = this.#machine.board.chassis[id]
    const watched = this.#watched.get(id)
    const sensor = chassis && boardSensors(chassis).find((each) => each.number === number)
    if (watched === undefined || sensor === undefined) return []
    const { exceeded, since } = watched
    const present = limitsOfSensor(this.#store, id, sensor)
    const gone: Limit[] = []
    for (const before of watched.limits.get(number) ?? []) {
      since.delete(before)
      if (!exceeded.delete(before)) continue
      const now = present.find(({ threshold }) => threshold === before.threshold)
      if (now === undefined) gone.push(before)
      else exceeded.add(now)
    }
    watched.own ??= new Map(watched.limits)
    watched.own.set(number, present)
    watched.limits = watched.own
    return gone
  }

  #partOf(chassis: string, { sensor }: Limit): string {
    return measuredPart(chassis, this.#machine.board.chassis[chassis]!, sensor)
  }

  #keyOf(chassis: string, limit: Limit): string {
    return conditionKey(this.#partOf(chassis, limit), limit.threshold)
  }

  /** Checks the thresholds of changed readings, those that wait, and all of them when the hosts have been switched. */
  #check(chassis: string, sensors: Sensors, changed: ReadonlySet<number>): void {
    const watched = this.#watched.get(chassis)
    if (watched === undefined) return
    const { limits, since } = watched
    const events: Event[] = []
    const isOn = this.#isOn(chassis)
    const wasSwitched = isOn !== watched.wasOn
    watched.wasOn = isOn
    if (wasSwitched || since.size > 0) {
      for (const limit of wasSwitched ? all(limits) : [...since.keys()]) {
        const reading = sensors.read(limit.sensor.number)
        if (reading !== undefined) this.#look(chassis, watched, limit, reading, events)
      }
    }
    for (const number of changed) {
      const own = limits.get(number)
      const reading = own && sensors.read(number)
      if (reading !== undefined) for (const limit of own!) this.#look(chassis, watched, limit, reading, events)
    }
    if (events.length > 0) void this.#events.emit(...events)
  }

  /** Checks one threshold. To check it twice does no harm. */
  #look(chassis: string, watched: Watched, limit: Limit, reading: number, events: Event[]): void {
    const { exceeded, since, wasOn: isOn } = watched
    const wasOver = exceeded.has(limit)
    const isOver = (isOn || !limit.whileOn) && isBeyond(limit, reading, wasOver)
    if (isOver === wasOver) since.delete(limit)
    else if (this.#lasts(since, limit, isOver ? limit.dwell : this.#settling)) {
      since.delete(limit)
      if (isOver) exceeded.add(limit)
      else exceeded.delete(limit)
      events.push(...this.#crossed(chassis, limit, isOver, reading))
    }
  }

  /** Whether a reading is on the other side of a threshold for so many seconds. */
  #lasts(since: Map<Limit, number>, limit: Limit, seconds: number): boolean {
    const now = this.#clock.elapsed()
    const begin = since.get(limit) ?? now
    since.set(limit, begin)
    return now - begin >= seconds * 1000
  }

  #isOn(chassis: string): boolean {
    const systems = this.#machine.board.chassis[chassis]?.systems ?? []
    return systems.every((system) => this.#machine.power(system) === 'On')
  }

  /** The events of a reading that has just crossed a threshold. The second is that of the standard registry. */
  #crossed(chassis: string, limit: Limit, isOver: boolean, reading: number): Event[] {
    const { threshold, reading: value } = limit
    const { id, name } = limit.sensor
    const part = this.#partOf(chassis, limit)
    const severity = severityOf(limit)
    const messages = messagesOf(limit)
    const shown = String(reading)
    const property = `${sensorUri(chassis, id)}/#/Reading`
    const level = severity === 'Warning' ? 'Warning' : 'Error'
    if (!isOver) {
      return [
        { ...event(messages.OK, part, name, shown, threshold), clears: threshold },
        event(`ResourceEvent.Resource${level}ThresholdCleared`, part, property, shown)
      ]
    }
    return [
      { ...event(messages[severity], part, name, shown, threshold, String(value)), raises: threshold },
      event(`ResourceEvent.Resource${level}ThresholdExceeded`, part, property, shown)
    ]
  }
}

const all = (limits: Limits = new Map()) => [...limits.values()].flat()
