import { parseDuration } from '#runtime/base/duration.ts'
import { type Event, event } from '#runtime/contract'
import { type Trigger, type TriggerThreshold, triggerThresholds } from './records.ts'

/** A condition of a trigger: a threshold, or a value. */
export interface Rule {
  readonly name: string
  /** Milliseconds for which a value must meet it, and for which it must not, before that counts. */
  readonly dwell: number
  readonly settle: number
  isMet(value: number, wasMet: boolean): boolean
}

/** The rules that hold for a metric property. */
export interface Standing {
  readonly held: readonly string[]
  /** Since when the others are met, and those no longer, by the clock that never leaps; absent where none waits. */
  readonly since?: ReadonlyMap<string, number>
}

const isUpper = (name: string) => name.startsWith('Upper')

/** @param settleTime seconds, of triggers that do not say how long a value must have returned */
export function rulesOf(trigger: Trigger, settleTime: number): readonly Rule[] {
  const { thresholds, values, hysteresis } = trigger
  const settle = trigger.settle === null ? settleTime * 1000 : (parseDuration(trigger.settle) ?? 0)
  const timed = (name: string, dwell: string | null) => ({ name, dwell: parseDuration(dwell ?? '') ?? 0, settle })
  const numeric = triggerThresholds.flatMap((name): Rule[] => {
    const { reading, activation, dwell = null } = thresholds[name] ?? {}
    if (reading === undefined || activation === 'Disabled') return []
    const isMet = (value: number, wasMet: boolean) => {
      const give = wasMet ? hysteresis : 0
      return isUpper(name) ? value >= reading - give : value <= reading + give
    }
    return [{ ...timed(name, dwell), isMet }]
  })
  const discrete = values.map(({ value: wanted, dwell }) => ({
    ...timed(wanted, dwell),
    isMet: (value: number) => value === Number(wanted)
  }))
  return [...numeric, ...discrete]
}

/** The rules that hold for a new value of a property. @param now milliseconds, by the monotonic clock */
export function judge(rules: readonly Rule[], { held, since }: Standing, value: number, now: number): Standing {
  const waiting = new Map<string, number>()
  const holding = rules.filter(({ name, dwell, settle, isMet }) => {
    const did = held.includes(name)
    const does = isMet(value, did)
    if (does === did) return did
    const begin = since?.get(name) ?? now
    if (now - begin >= (does ? dwell : settle)) return does
    waiting.set(name, begin)
    return did
  })
  return { held: holding.map(({ name }) => name), ...(waiting.size > 0 && { since: waiting }) }
}

/** An event of a trigger. */
export interface TriggerEvent {
  readonly event: Event
  /** Whether its condition is met: the end of one is told, and has no other consequences. */
  readonly isMet: boolean
}

interface Seen {
  /** The id of the trigger, the URI of the property, and that of the sensor which shows it. */
  readonly trigger: string
  readonly property: string
  readonly origin: string
  readonly value: number
}

const normal = 'Telemetry.TriggerNumericReadingNormal'

/** The messages of a reading that is beyond a threshold, and of one that is back, but not yet in the normal range. */
const crossings = {
  LowerCritical: ['Telemetry.TriggerNumericBelowLowerCritical', 'Telemetry.TriggerNumericAboveLowerCritical'],
  LowerWarning: ['Telemetry.TriggerNumericBelowLowerWarning', undefined],
  UpperWarning: ['Telemetry.TriggerNumericAboveUpperWarning', undefined],
  UpperCritical: ['Telemetry.TriggerNumericAboveUpperCritical', 'Telemetry.TriggerNumericBelowUpperCritical']
} as const

/** Of two thresholds that are crossed at once, the critical one is told. */
const sides: readonly (readonly [critical: TriggerThreshold, warning: TriggerThreshold])[] = [
  ['LowerCritical', 'LowerWarning'],
  ['UpperCritical', 'UpperWarning']
]

/** The events of a property that now meets other thresholds or values than before. */
export function triggerEvents(
  trigger: Trigger,
  seen: Seen,
  before: readonly string[],
  after: readonly string[]
): TriggerEvent[] {
  if (trigger.type === 'Discrete') {
    const met = trigger.values.filter(({ value }) => after.includes(value) && !before.includes(value))
    return met.map(({ severity }) => changed(seen, severity))
  }
  return sides.flatMap(([critical, warning]) => {
    const crossed = [critical, warning].find((name) => before.includes(name) !== after.includes(name))
    return crossed === undefined ? [] : crossing(trigger, seen, crossed, after, after.includes(warning))
  })
}

/** A discrete metric has a value that its trigger waited for, or another one than before. */
export function changed(
  { trigger, property, origin, value }: Seen,
  severity: Trigger['values'][number]['severity'] = null
): TriggerEvent {
  const told = event('Telemetry.TriggerDiscreteConditionMet', origin, property, String(value), trigger)
  return { event: { ...told, ...(severity !== null && { severity }) }, isMet: true }
}

function crossing(
  { thresholds }: Trigger,
  { trigger, property, origin, value }: Seen,
  name: TriggerThreshold,
  after: readonly string[],
  isWarned: boolean
): TriggerEvent[] {
  // A threshold that is gone is crossed as well: nothing holds it any more.
  const { reading = 0, activation = 'Disabled' } = thresholds[name] ?? {}
  const [beyond, back] = crossings[name]
  const isBeyond = after.includes(name)
  const direction = isBeyond === isUpper(name) ? 'Increasing' : 'Decreasing'
  const isMet = activation === 'Either' || activation === direction
  if (isBeyond && !isMet) return []
  const key = isBeyond ? beyond : isWarned && activation !== 'Disabled' ? back : undefined
  if (key !== undefined) {
    return [{ event: event(key, origin, property, String(value), String(reading), trigger), isMet }]
  }
  return after.length > 0 ? [] : [{ event: event(normal, origin, property, String(value), trigger), isMet }]
}
