import type { Board } from '#data/board'
import { sensorUri } from '#data/sensors'
import {
  changed,
  judge,
  type MetricProperty,
  type Rule,
  rulesOf,
  type Standing,
  type Trigger,
  type TriggerEvent,
  triggerEvents,
  watchedProperties
} from '#data/telemetry'
import type { Clock } from '#hal/clock.ts'
import { type Event, merged } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import type { Telemetry } from './telemetry.ts'

interface Armed {
  readonly trigger: Trigger
  readonly rules: readonly Rule[]
  readonly watched: readonly Watched[]
}

interface Watched {
  readonly property: MetricProperty
  /** In the last sample; undefined if it could not be read. */
  value: number | undefined
  /** The last one that could be read. */
  known: number | undefined
  standing: Standing
}

/**
 * Compares the samples of metrics with the conditions of triggers, and performs their actions. An unchanged value is
 * not compared, unless a condition waits for its time. A value that cannot be read changes nothing, but restarts that
 * wait. The conditions that hold are stored, so that a restart reports nothing twice.
 */
export class Triggers {
  readonly #store: Store
  readonly #board: Board
  readonly #events: Pick<Events, 'writes'>
  readonly #telemetry: Pick<Telemetry, 'last' | 'update'>
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #settleTime: number
  readonly #armed = new Map<string, Armed>()

  /** @param settleTime see `rulesOf` */
  constructor(
    store: Store,
    board: Board,
    events: Pick<Events, 'writes'>,
    telemetry: Pick<Telemetry, 'last' | 'update'>,
    clock: Pick<Clock, 'elapsed'>,
    settleTime: number
  ) {
    this.#store = store
    this.#board = board
    this.#events = events
    this.#telemetry = telemetry
    this.#clock = clock
    this.#settleTime = settleTime
    store.on('trigger', (id) => this.#arm(id))
    for (const id of store.keys('trigger')) this.#arm(id)
  }

  /** Looks at the last sample. Never fails. */
  check(): void {
    const reports = new Set<string>()
    for (const [id, armed] of this.#armed) {
      const { told, isOther } = this.#look(id, armed)
      if (isOther) void this.#tell(id, armed, told)
      const { actions, reports: forced } = armed.trigger
      if (actions.includes('RedfishMetricReport') && told.some(({ isMet }) => isMet))
        for (const each of forced) reports.add(each)
    }
    for (const each of reports) void this.#telemetry.update(each)
  }

  /** Takes a trigger as it is now. Keeps the state of the properties that it already watched. */
  #arm(id: string): void {
    const before = new Map(this.#armed.get(id)?.watched.map((each) => [each.property, each]))
    this.#armed.delete(id)
    const trigger = this.#store.get('trigger', id)
    if (!trigger?.enabled) return
    const { held = {} } = this.#store.get('triggered', id) ?? {}
    const watched = watchedProperties(trigger, this.#board).map(
      (property): Watched => ({
        property,
        value: undefined,
        known: before.get(property)?.known,
        standing: { held: before.get(property)?.standing.held ?? held[property.uri] ?? [] }
      })
    )
    this.#armed.set(id, { trigger, rules: rulesOf(trigger, this.#settleTime), watched })
  }

  #look(id: string, armed: Armed): { told: TriggerEvent[]; isOther: boolean } {
    const told: TriggerEvent[] = []
    let isOther = false
    for (const each of armed.watched) {
      const value = this.#telemetry.last(each.property.uri)
      if (value === each.value && each.standing.since === undefined) continue
      each.value = value
      const { held } = each.standing
      const { known } = each
      if (value === undefined) {
        each.standing = { held }
        continue
      }
      each.known = value
      each.standing = judge(armed.rules, each.standing, value, this.#clock.elapsed())
      const { uri, chassis, sensor } = each.property
      const seen = { trigger: id, property: uri, origin: sensorUri(chassis, sensor), value }
      if (armed.trigger.condition === 'Changed') {
        if (known !== undefined && known !== value) told.push(changed(seen))
      } else if (held.join() !== each.standing.held.join()) {
        isOther = true
        told.push(...triggerEvents(armed.trigger, seen, held, each.standing.held))
      }
    }
    return { told, isOther: isOther || told.length > 0 }
  }

  /** Stores what holds, and with it the events, in one commit: unless the trigger has been deleted. */
  async #tell(id: string, { trigger, watched }: Armed, told: readonly TriggerEvent[]): Promise<void> {
    const log = trigger.actions.includes('LogToLogService')
    const subscribers = trigger.actions.includes('RedfishEvent')
    const events = told.map(({ event }): Event => ({ ...event, audience: { log, subscribers } }))
    const holding = watched.filter(({ standing }) => standing.held.length > 0)
    const held = Object.fromEntries(holding.map(({ property, standing }) => [property.uri, standing.held]))
    const record = holding.length > 0 ? { held } : null
    try {
      await this.#store.commit(() =>
        this.#store.get('trigger', id) === undefined
          ? {}
          : merged(this.#events.writes(events), { triggered: { [id]: record } })
      )
    } catch (error) {
      this.#store.log.error('the event of a trigger is lost', { trigger: id, cause: (error as Error).message })
    }
  }
}
