import type { Board } from '#data/board'
import type { Configuration } from '#data/configuration'
import { type Message, MessageError, mergeArray, message, type State } from '#runtime/contract'
import type { Infer } from '#runtime/schema'
import { durationFaults, fault, missing } from './faults.ts'
import { type Trigger, triggerThresholds } from './records.ts'
import { metricPropertyUri, metrics, reportDefinitionIds } from './telemetry.ts'
import { showValue, showWildcard, type triggerSettings } from './trigger-schema.ts'
import { definitionUri } from './uris.ts'
import { meantProperties } from './watched.ts'

type Settings = Infer<{ type: 'object'; properties: typeof triggerSettings }>

type Given<K extends keyof Settings> = NonNullable<Settings[K]>

/** The data for checking a trigger. */
interface Sources {
  readonly state: Pick<State, 'get' | 'keys'>
  readonly board: Board
  readonly configuration: Configuration
}

/** The longest `DwellTime` and `HysteresisDuration`: a day, in milliseconds. */
const longest = 86_400_000

const links = 'Links/MetricReportDefinitions'

/** A trigger of which nothing but its kind is known. */
export const blankTrigger = {
  enabled: true,
  metrics: [],
  properties: [],
  wildcards: [],
  reports: [],
  hysteresis: 0,
  settle: null,
  thresholds: {},
  values: []
} as const

/**
 * A trigger with what a client wants to be otherwise.
 *
 * @throws MessageError 400 with all that is wrong with it
 */
export function changeTrigger(present: Trigger, settings: Settings, sources: Sources): Trigger {
  const { DiscreteTriggers, HysteresisReading, HysteresisDuration, Wildcards, Links } = settings
  const definitions = new Map(reportDefinitionIds(sources.state, sources.board).map((id) => [definitionUri(id), id]))
  const reports = Links === undefined ? [] : reportsOf(present.reports, Links)
  const trigger: Trigger = {
    ...present,
    enabled: settings.TriggerEnabled ?? present.enabled,
    hysteresis: HysteresisReading === undefined ? present.hysteresis : Math.abs(HysteresisReading ?? 0),
    settle: HysteresisDuration === undefined ? present.settle : HysteresisDuration,
    metrics: mergeArray(present.metrics, settings.MetricIds ?? present.metrics),
    properties: mergeArray(present.properties, settings.MetricProperties ?? present.properties).map(metricPropertyUri),
    wildcards: Wildcards
      ? mergeArray<Given<'Wildcards'>[number]>(present.wildcards.map(showWildcard), Wildcards).map(wildcardFrom)
      : present.wildcards,
    reports: Links === undefined ? present.reports : reports.flatMap((uri) => definitions.get(uri) ?? []),
    thresholds: changeThresholds(present.thresholds, settings.NumericThresholds ?? {}),
    values: DiscreteTriggers
      ? mergeArray<Given<'DiscreteTriggers'>[number]>(present.values.map(showValue), DiscreteTriggers).map(valueFrom)
      : present.values
  }
  const isOf = (...names: (keyof Settings)[]) => names.some((name) => settings[name] !== undefined)
  const faults = [
    ...(isOf('MetricIds', 'MetricProperties', 'Wildcards') || isNew(present) ? metricFaults(trigger, sources) : []),
    ...reports.flatMap((uri, at) => (definitions.has(uri) ? [] : [fault('List', uri, links, `#/${links}/${at}`)])),
    ...conditionFaults(trigger),
    ...(trigger.settle === null ? [] : spanFaults(trigger.settle, 'HysteresisDuration', '#'))
  ]
  if (faults.length > 0) throw new MessageError(400, faults)
  return trigger
}

const isNew = ({ metrics, properties }: Trigger) => metrics.length + properties.length === 0

const wildcardFrom = ({ Name, Values = ['*'] }: Given<'Wildcards'>[number]) => ({ name: Name, values: Values })

const valueFrom = ({ DwellTime, Name, Severity, Value }: Given<'DiscreteTriggers'>[number]) => ({
  name: Name ?? null,
  value: Value,
  dwell: DwellTime ?? null,
  severity: Severity ?? null
})

/** The URIs of the definitions whose reports are made, without a trailing slash. */
function reportsOf(present: Trigger['reports'], { MetricReportDefinitions: given }: Given<'Links'>): string[] {
  const listed = present.map((id) => ({ '@odata.id': definitionUri(id) }))
  const links = given === undefined ? listed : mergeArray(listed, given)
  return [...new Set(links.map((each) => each['@odata.id'].replace(/\/$/, '')))]
}

/** `null` as its reading removes a threshold. */
function changeThresholds(present: Trigger['thresholds'], wish: Given<'NumericThresholds'>): Trigger['thresholds'] {
  const all = triggerThresholds.flatMap((name) => {
    const { Reading, Activation, DwellTime } = wish[name] ?? {}
    const before = present[name]
    const reading = Reading === undefined ? before?.reading : Reading
    if (reading == null) return []
    const usual = name.startsWith('Upper') ? 'Increasing' : 'Decreasing'
    const activation = Activation === undefined ? (before?.activation ?? usual) : (Activation ?? usual)
    const dwell = DwellTime === undefined ? (before?.dwell ?? null) : DwellTime
    return [[name, { reading, activation, dwell }] as const]
  })
  return Object.fromEntries(all)
}

function metricFaults(trigger: Trigger, { board, configuration }: Sources): Message[] {
  const known = metrics(board)
  const most = configuration.limits.metricValues
  const meant = meantProperties(trigger, board)
  const faults = [
    ...trigger.metrics.flatMap((id, at) =>
      known.some((each) => each.id === id) ? [] : [fault('List', id, 'MetricIds', `#/MetricIds/${at}`)]
    ),
    ...trigger.properties.flatMap((uri, at) =>
      meant[at]?.length === 0 ? [fault('List', uri, 'MetricProperties', `#/MetricProperties/${at}`)] : []
    )
  ]
  if (isNew(trigger)) faults.push(missing('MetricProperties', '#'))
  if (new Set(meant.flat()).size > most) {
    const related = ['#/MetricProperties']
    faults.push({ ...message('Base.ArraySizeTooLong', 'MetricProperties', String(most)), related })
  }
  return faults
}

function conditionFaults(trigger: Trigger): Message[] {
  const { type, condition, values } = trigger
  const thresholds = triggerThresholds.filter((name) => trigger.thresholds[name] !== undefined)
  const faults: Message[] = []
  if (type === 'Numeric') {
    if (thresholds.length === 0) faults.push(missing('NumericThresholds', '#'))
    if (condition !== null) faults.push(conflict('DiscreteTriggerCondition', 'MetricType'))
    if (values.length > 0) faults.push(conflict('DiscreteTriggers', 'MetricType'))
    return [...faults, ...thresholdFaults(trigger.thresholds)]
  }
  if (thresholds.length > 0) faults.push(conflict('NumericThresholds', 'MetricType'))
  if (condition === null) faults.push(missing('DiscreteTriggerCondition', '#'))
  if (condition === 'Specified' && values.length === 0) faults.push(missing('DiscreteTriggers', '#'))
  if (condition === 'Changed' && values.length > 0)
    faults.push(conflict('DiscreteTriggers', 'DiscreteTriggerCondition'))
  for (const [at, { dwell }] of values.entries())
    if (dwell !== null) faults.push(...spanFaults(dwell, 'DwellTime', `#/DiscreteTriggers/${at}`))
  return faults
}

function thresholdFaults(thresholds: Trigger['thresholds']): Message[] {
  const present = triggerThresholds.flatMap((name) => (thresholds[name] ? [{ name, ...thresholds[name] }] : []))
  return present.flatMap(({ name, reading, dwell }, at) => {
    const next = present[at + 1]
    const faults = dwell === null ? [] : spanFaults(dwell, 'DwellTime', `#/NumericThresholds/${name}`)
    const isInOrder = next === undefined || reading < next.reading
    const path = (of: string) => `NumericThresholds/${of}/Reading`
    return isInOrder ? faults : [...faults, conflict(path(name), path(next.name))]
  })
}

const spanFaults = (value: string, name: string, within: string) => durationFaults(value, name, within, 0, longest)

function conflict(name: string, other: string): Message {
  return { ...message('Base.PropertyValueConflict', name, other), related: [`#/${name}`] }
}
