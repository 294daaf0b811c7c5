import type { Board } from '#data/board'
import type { Configuration } from '#data/configuration'
import { parseTime } from '#runtime/base/duration.ts'
import { type Message, MessageError, mergeArray, message } from '#runtime/contract'
import type { Infer } from '#runtime/schema'
import { durationFaults, fault, missing } from './faults.ts'
import { historyRanges } from './history-ranges.ts'
import type { MetricReportDefinition } from './records.ts'
import { type reportSettings, showReportDefinition } from './schemas.ts'
import { metricPropertyUri, metrics } from './telemetry.ts'

type Settings = Infer<{ type: 'object'; properties: typeof reportSettings }>

/** The shortest interval between two reports, in seconds. Sensors may be read less often: then a value comes again. */
const shortest = 1

/** The longest interval between two reports: ten years, in milliseconds. */
const longest = 3650 * 86_400_000

/**
 * A definition with what a client wants to be otherwise.
 *
 * @throws MessageError 400 with all that is wrong with it
 */
export function changeReportDefinition(
  present: MetricReportDefinition,
  settings: Settings,
  board: Board,
  configuration: Configuration
): MetricReportDefinition {
  const { Schedule = {}, Metrics, ReportActions } = settings
  const listed = showReportDefinition('', present).Metrics
  const definition: MetricReportDefinition = {
    name: present.name,
    removed: false,
    type: settings.MetricReportDefinitionType ?? present.type,
    enabled: settings.MetricReportDefinitionEnabled ?? present.enabled,
    interval: Schedule.RecurrenceInterval === undefined ? present.interval : Schedule.RecurrenceInterval,
    start: Schedule.InitialStartTime === undefined ? present.start : Schedule.InitialStartTime,
    actions: ReportActions ? [...new Set(mergeArray(present.actions, ReportActions))] : present.actions,
    updates: settings.ReportUpdates ?? present.updates,
    appendLimit: settings.AppendLimit ?? present.appendLimit,
    metrics: Metrics === undefined ? present.metrics : mergeArray<Listed>(listed, Metrics).map(metricFrom)
  }
  const scheduled = settings.Schedule !== undefined || settings.MetricReportDefinitionType !== undefined
  const faults = [
    ...(scheduled ? scheduleFaults(definition) : []),
    ...(settings.AppendLimit === undefined ? [] : appendFaults(definition, configuration)),
    ...(Metrics === undefined ? [] : metricsFaults(definition, board, configuration))
  ]
  if (faults.length > 0) throw new MessageError(400, faults)
  return definition
}

type Listed = NonNullable<Settings['Metrics']>[number]

type Metric = MetricReportDefinition['metrics'][number]

function metricFrom(listed: Listed): Metric {
  const { CollectionFunction = null, CollectionDuration = null } = listed
  return {
    id: listed.MetricId ?? '',
    properties: (listed.MetricProperties ?? []).map(metricPropertyUri),
    function: CollectionFunction,
    duration: CollectionDuration,
    timeScope: listed.CollectionTimeScope ?? (CollectionFunction === null ? 'Point' : 'Interval')
  }
}

function scheduleFaults({ type, interval, start }: MetricReportDefinition): Message[] {
  const faults: Message[] = []
  if (interval === null) {
    if (type === 'Periodic') faults.push(missing('RecurrenceInterval', '#/Schedule'))
  } else faults.push(...durationFaults(interval, 'RecurrenceInterval', '#/Schedule', shortest, longest))
  if (start !== null && parseTime(start) === undefined) {
    faults.push(fault('Format', start, 'InitialStartTime', '#/Schedule/InitialStartTime'))
  }
  return faults
}

function appendFaults({ appendLimit }: MetricReportDefinition, { limits }: Configuration): Message[] {
  return appendLimit > limits.metricValues ? [fault('Range', appendLimit, 'AppendLimit', '#/AppendLimit')] : []
}

function metricsFaults(
  definition: MetricReportDefinition,
  board: Board,
  { sensors, limits }: Configuration
): Message[] {
  const known = metrics(board)
  const propertiesOf = ({ id, properties }: Metric) =>
    properties.length > 0 ? properties : (known.find((each) => each.id === id)?.properties ?? [])
  const values = definition.metrics.reduce((sum, each) => sum + propertiesOf(each).length, 0)
  const related = ['#/Metrics']
  const faults = definition.metrics.flatMap((metric, index) =>
    metricFaults(metric, `#/Metrics/${index}`, board, sensors)
  )
  if (definition.metrics.length === 0) {
    faults.push({ ...message('Base.PropertyValueIncorrect', 'Metrics', '[]'), related })
  }
  if (values > limits.metricValues) {
    faults.push({ ...message('Base.ArraySizeTooLong', 'Metrics', String(limits.metricValues)), related })
  }
  return faults
}

function metricFaults(metric: Metric, at: string, board: Board, sensors: Configuration['sensors']): Message[] {
  const { id, properties, duration, timeScope } = metric
  const known = metrics(board)
  const uris = new Set(known.flatMap((each) => each.properties.map(({ uri }) => uri)))
  const faults: Message[] = []
  if (id === '') faults.push(missing('MetricId', at))
  else if (properties.length === 0 && !known.some((each) => each.id === id)) {
    faults.push(fault('List', id, 'MetricId', `${at}/MetricId`))
  }
  for (const [place, uri] of properties.entries()) {
    if (!uris.has(uri)) faults.push(fault('List', uri, 'MetricProperties', `${at}/MetricProperties/${place}`))
  }
  if (metric.function === null) {
    if (timeScope === 'Interval') faults.push(missing('CollectionFunction', at))
  } else {
    const related = [`${at}/CollectionTimeScope`]
    const conflict = message('Base.PropertyValueConflict', 'CollectionTimeScope', 'CollectionFunction')
    if (timeScope === 'Point') faults.push({ ...conflict, related })
    if (duration === null) faults.push(missing('CollectionDuration', at))
  }
  if (duration !== null) {
    const { step, steps } = historyRanges.Hour
    const most = Math.max(sensors.interval * sensors.samples, step * steps) * 1000
    faults.push(...durationFaults(duration, 'CollectionDuration', at, sensors.interval, most))
  }
  return faults
}
