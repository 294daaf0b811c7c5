import type { Board } from '#data/board'
import {
  definitionUri,
  type Metric,
  type MetricReport,
  type MetricReportDefinition,
  type MetricValue,
  metricProperties,
  metricReport,
  metrics,
  powerUri,
  reportDefinition,
  reportDefinitionIds,
  reportUri,
  showReport
} from '#data/telemetry'
import type { Clock } from '#hal/clock.ts'
import type { Sensors } from '#hal/sensors.ts'
import { parseDuration } from '#runtime/base/duration.ts'
import type { Members, Reader } from '#runtime/contract'
import { pollsOf, samplesTaken } from '#runtime/store/revisions.ts'
import type { Store } from '#runtime/store/store.ts'
import { Samples } from './samples.ts'
import { nextDue } from './schedule.ts'

/** The listener of reports. A report is a resource as clients read it. */
export interface ReportAudience {
  /**
   * Hands a report to those who subscribed to it. Settles when it is on disk; never fails.
   *
   * @param definition its canonical URI, without a trailing slash
   */
  push(report: object, definition: string): Promise<void>
  /**
   * Whether anybody listens now, to whom `show` would show a report.
   */
  listens(): boolean

  /**
   * Shows a report to the present listeners.
   *
   * @param definition its id
   * @param isPushed whether the service pushes it; otherwise it is for listeners that ask for its definition
   * @param report makes it; called only if there is a listener for it
   */
  show(definition: string, isPushed: boolean, report: () => object): void
}

/** The clock may be set while a timer runs: it is looked at once a minute at least while something is due, in milliseconds. */
const longest = 60_000

const none: MetricReport = { sequence: 0, timestamp: undefined, values: [] }

/**
 * Makes metric reports of samples. `Periodic` reports are made when they are due, and pushed; `OnChange` ones when a
 * value changed from one sample to the next; `OnRequest` ones are what the last samples say.
 *
 * Reports are in memory alone: what a restart loses is measured again, and flash is not worn by what changes every few
 * seconds. Only what subscribers wait for is stored, by those who deliver it.
 */
export class Telemetry {
  readonly #store: Store
  readonly #board: Board
  readonly #clock: Clock
  readonly #audience: ReportAudience
  readonly #samples: Samples
  /** The paths of what the samples say. */
  readonly #paths: readonly string[]
  readonly #metrics: ReadonlyMap<string, Metric>
  readonly #definitions = new Map<string, MetricReportDefinition>()
  /** Those whose reports are made when a value changes. */
  readonly #onChange = new Map<string, MetricReportDefinition>()
  readonly #reports = new Map<string, MetricReport>()
  readonly #due = new Map<string, number>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #closed = false

  /** @param settings how many samples of each metric property are kept, and seconds between two of them */
  constructor(
    store: Store,
    board: Board,
    devices: ReadonlyMap<string, Sensors>,
    settings: { readonly samples: number; readonly interval: number },
    clock: Clock,
    audience: ReportAudience
  ) {
    this.#store = store
    this.#board = board
    this.#clock = clock
    this.#audience = audience
    this.#metrics = new Map(metrics(board).map((metric) => [metric.id, metric]))
    this.#samples = new Samples(metricProperties(board), settings.samples, settings.interval)
    for (const [chassis, sensors] of devices) {
      sensors.on((changed) => this.#samples.update(chassis, changed, (number) => sensors.read(number)))
    }
    this.#paths = [samplesTaken, ...[...devices.keys()].map(pollsOf)]
    store.revisions.device('metricReport/')
    store.on('metricReportDefinition', (id) => this.#changed(id))
    for (const id of reportDefinitionIds(store, board)) this.#take(id)
    this.#wake()
  }

  /** Takes what the sensors show now. */
  sample(): void {
    this.#samples.take(this.#clock)
    for (const path of this.#paths) this.#store.revisions.moved(path)
    for (const [id, definition] of this.#onChange) {
      if (!this.#differs(id, definition)) continue
      this.#make(id, definition)
      this.#show(id, definition, false)
    }
    if (!this.#audience.listens()) return
    for (const [id, definition] of this.#definitions) if (isOnRequest(definition)) this.#show(id, definition, false)
  }

  members(reader: Reader): Members<'report' | 'powerMetrics' | 'sensorHistory'> {
    return {
      powerMetrics: (chassis) => {
        reader.track(pollsOf(chassis))
        return this.#samples.summary(powerUri(chassis))
      },
      sensorHistory: (chassis, range) => {
        reader.track(samplesTaken)
        return this.#samples.history(chassis, range)
      },
      report: (definition) => {
        reader.track(`metricReport/${definition}`)
        if (isOnRequest(this.#definitions.get(definition))) reader.track(samplesTaken)
        return this.report(definition)
      }
    }
  }

  /** The report of a definition: the last one made, or with `OnRequest` what there is to report now. */
  report(id: string): MetricReport {
    const definition = this.#definitions.get(id)
    if (definition === undefined || !isOnRequest(definition) || this.#samples.taken === 0) {
      return this.#reports.get(id) ?? none
    }
    const { time, taken } = this.#samples
    const values = this.#values(definition).slice(0, definition.appendLimit)
    return { sequence: this.#first() + taken, timestamp: new Date(time).toISOString(), values }
  }

  /** Makes the reports that are due. Those missed while the service was down or the clock leapt are not made later. */
  run(): void {
    const now = this.#clock.now()
    for (const [id, due] of [...this.#due]) {
      const definition = this.#definitions.get(id)
      if (definition !== undefined && due <= now) void this.#deliver(id, definition)
      this.#plan(id)
    }
    this.#wake()
  }

  /** Makes and delivers a report of a definition of any type, because of a trigger (DSP0268, RedfishMetricReport). */
  async update(id: string): Promise<void> {
    const definition = this.#definitions.get(id)
    if (definition?.enabled) await this.#deliver(id, definition)
  }

  /** The value of a metric property in the last sample; undefined if it could not be read. */
  last(uri: string): number | undefined {
    return this.#samples.last(uri)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  /** A report begins anew with its definition. */
  #changed(id: string): void {
    this.#reports.delete(id)
    this.#moved(id)
    this.#take(id)
    if (!this.#definitions.has(id)) this.#store.revisions.forget(`metricReport/${id}`)
    this.#wake()
  }

  /** Looks up what a definition says now. */
  #take(id: string): void {
    const definition = reportDefinition(this.#store, this.#board, id)
    if (definition === undefined) this.#definitions.delete(id)
    else this.#definitions.set(id, definition)
    if (definition?.type === 'OnChange' && definition.enabled) this.#onChange.set(id, definition)
    else this.#onChange.delete(id)
    this.#plan(id)
  }

  #plan(id: string): void {
    const definition = this.#definitions.get(id)
    const due = definition && nextDue(definition, this.#clock.now())
    if (due === undefined) this.#due.delete(id)
    else this.#due.set(id, due)
  }

  #wake(): void {
    clearTimeout(this.#timer)
    if (this.#closed || this.#due.size === 0) return
    const wait = Math.min(...this.#due.values()) - this.#clock.now()
    this.#timer = setTimeout(() => this.run(), Math.min(Math.max(wait, 0), longest))
    this.#timer.unref()
  }

  /** Makes a report, unless it is always what the last samples say, and performs the actions of its definition. */
  async #deliver(id: string, definition: MetricReportDefinition): Promise<void> {
    if (!isOnRequest(definition)) this.#make(id, definition)
    this.#show(id, definition, true)
    if (definition.actions.includes('RedfishEvent'))
      await this.#audience.push(this.#shown(id, definition), definitionUri(id))
  }

  #make(id: string, definition: MetricReportDefinition): void {
    const { sequence, values } = this.#reports.get(id) ?? { ...none, sequence: this.#first() }
    const report: MetricReport = {
      sequence: sequence + 1,
      timestamp: new Date(this.#clock.now()).toISOString(),
      values: appended(definition, values, this.#values(definition))
    }
    this.#reports.set(id, report)
    this.#moved(id)
  }

  #values({ metrics }: MetricReportDefinition): MetricValue[] {
    const now = this.#clock.elapsed()
    return metrics.flatMap((metric) => {
      const uris = metric.properties.length > 0 ? metric.properties : this.#propertiesOf(metric.id)
      return uris.map((property) => ({
        metric: metric.id,
        property,
        value:
          metric.function === null
            ? this.#samples.last(property)
            : this.#samples.collect(property, metric.function, parseDuration(metric.duration ?? '') ?? 0, now),
        timestamp: new Date(this.#samples.time).toISOString()
      }))
    })
  }

  #propertiesOf(metric: string): string[] {
    return (this.#metrics.get(metric)?.properties ?? []).map(({ uri }) => uri)
  }

  #differs(id: string, definition: MetricReportDefinition): boolean {
    const values = this.#values(definition)
    const before = this.#reports.get(id)?.values.slice(-values.length) ?? []
    return values.some((each, index) => each.value !== before[index]?.value)
  }

  #show(id: string, definition: MetricReportDefinition, isPushed: boolean): void {
    if (!definition.actions.includes('RedfishEvent')) return
    this.#audience.show(id, isPushed, () => this.#shown(id, definition))
  }

  #shown(id: string, { name }: MetricReportDefinition): object {
    return {
      '@odata.id': `${reportUri(id)}/`,
      '@odata.type': metricReport.title,
      ...showReport(id, name, this.report(id), new Set(this.#metrics.keys()))
    }
  }

  /** The first sequence of this start of the service: beyond all earlier ones, without a record of them. */
  #first(): number {
    return this.#store.revisions.of('metricReport/')
  }

  #moved(id: string): void {
    this.#store.revisions.moved(`metricReport/${id}`)
  }
}

/** Whether the reports of a definition are what the last samples say. */
function isOnRequest(definition: MetricReportDefinition | undefined): boolean {
  return definition?.type === 'OnRequest' && definition.enabled
}

/** The values of a report after those of the previous one, if its definition appends (DSP0268, ReportUpdates). */
function appended(
  { updates, appendLimit }: MetricReportDefinition,
  before: readonly MetricValue[],
  values: readonly MetricValue[]
): readonly MetricValue[] {
  if (updates === 'Overwrite') return values.slice(0, appendLimit)
  const all = [...before, ...values]
  return updates === 'AppendWrapsWhenFull' ? all.slice(-appendLimit) : all.slice(0, appendLimit)
}
