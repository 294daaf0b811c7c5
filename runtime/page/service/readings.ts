import { batch, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { type HistoryRange, historyRanges } from '#data/telemetry'
import { historyPoints, type Point } from '../rules/chart.ts'
import { absent, type Known, partOf, valueIn } from '../rules/known.ts'
import { metricsIn } from '../rules/power.ts'
import { sensorOf, sensorsIn } from '../rules/sensors.ts'
import type { Chassis, EnvironmentMetrics, Expanded, OldPower, Sensor, SensorHistory, Thermal } from '../types.ts'
import { useChassis } from './machine.ts'
import { reread, useResource } from './resources.ts'
import { followReports, type ShownReport } from './stream.ts'

/** As many live readings of each sensor are kept as ten minutes have at the shortest interval. */
const most = 600

/** The readings that were seen, by the URI of their sensor, oldest first. */
const seen = signal<Readonly<Record<string, readonly Point[]>>>({})

/** The sensors of the chassis that is shown, and their thresholds where a machine has them in `Thermal` only. */
export interface Measured {
  readonly sensors: readonly Sensor[]
  readonly thermal: Partial<Thermal>
}

/** The properties of a sensor that the page shows: a third of the whole, for slow links. */
const shown = [
  ...['Id', 'Name', 'Reading', 'ReadingType', 'ReadingUnits', 'Status'],
  ...['LowerCaution', 'LowerCritical', 'UpperCaution', 'UpperCritical'].map((each) => `Thresholds/${each}/Reading`)
].map((each) => `Members/${each}`)

const sensorsOf = ({ Sensors }: Chassis) => Sensors && `${Sensors['@odata.id']}?$expand=.&$select=${shown}`

/** The sensors as they are when they are read. */
export function useSensorList(): Known<readonly Sensor[]> {
  return partOf(useResource<Expanded<Sensor>>(partOf(useChassis(), sensorsOf)), ({ Members }) => Members)
}

/** The sensors with their readings as they come, for as long as a component shows them. */
export function useSensors(): Known<Measured> {
  const chassis = useChassis()
  const collection = partOf(chassis, sensorsOf)
  const sensors = useResource<Expanded<Sensor>>(collection)
  // Some machines have no such resource: their sensors are reported by their own URIs.
  const thermal = useResource<Thermal>(partOf(chassis, ({ Thermal }) => Thermal?.['@odata.id'] ?? undefined))
  const [at, uri] = [valueIn(chassis)?.['@odata.id'], valueIn(collection)]
  const limits: Partial<Thermal> = valueIn(thermal) ?? {}
  useEffect(() => {
    if (at === undefined || uri === undefined || thermal.state === 'loading') return
    return followReports((report) => void (note(report, at, limits) && reread(uri)))
  }, [at, uri, thermal.state])
  const old = valueIn(thermal)
  const oldSensors = useMemo(() => sensorsIn(old ?? {}), [old])
  const own = partOf(sensors, ({ Members }) => Members)
  const all = own.state === 'absent' ? partOf(thermal, () => (oldSensors.length > 0 ? oldSensors : undefined)) : own
  const members = valueIn(all)
  useEffect(() => {
    if (members === undefined) return
    // By the clock of the service, as the times of reports: that of the browser may be another one.
    const date = Date.parse((all.state === 'there' && all.headers?.get('Date')) || '')
    batch(() => {
      for (const { '@odata.id': id, Reading } of members) see(id, Reading ?? null, date || Date.now())
    })
  }, [members])
  return partOf(all, (sensors) => ({ sensors, thermal: limits }))
}

/** The readings of a sensor that were seen. */
export const seenOf = ({ '@odata.id': id }: Sensor): readonly Point[] => seen.value[id] ?? []

/** The last reading of a sensor; null if it could not be read. */
export const lastOf = (sensor: Sensor) => seenOf(sensor).at(-1)?.value ?? null

/** The power consumption of the chassis and the speeds of its fans. */
export function useEnvironment(): Known<EnvironmentMetrics> {
  const link = partOf(useChassis(), ({ EnvironmentMetrics }) => EnvironmentMetrics?.['@odata.id'])
  const metrics = useResource<EnvironmentMetrics>(link)
  const old = useOldPower(link)
  return link.state === 'absent' ? partOf(old, metricsIn) : metrics
}

/** `Power` of an older machine, which is not read where there is what came after it. */
export function useOldPower(successor: Known<unknown>): Known<OldPower> {
  const chassis = useChassis()
  return useResource<OldPower>(
    successor.state === 'absent' ? partOf(chassis, ({ Power }) => Power?.['@odata.id']) : absent
  )
}

/** A range of the history that the service keeps; a machine without one has only the readings that were seen. */
export function useHistory(range: HistoryRange): (sensor: Sensor) => readonly Point[] {
  const uri = partOf(useEnvironment(), ({ Oem }) => {
    const link = Oem?.Vendor?.SensorHistory?.['@odata.id']
    return link && `${link}?$select=${range}`
  })
  const history = valueIn(useResource<SensorHistory>(uri))?.[range]
  const end = Date.parse(history?.EndTime ?? '')
  return ({ '@odata.id': id }) => {
    const series = history?.Series?.find(({ Sensor }) => Sensor?.['@odata.id'] === id)
    return Number.isNaN(end) ? [] : historyPoints(series, end, historyRanges[range].step * 1000)
  }
}

/** Takes note of a reading. @returns whether the sensor fails now, or no more */
function see(id: string, value: number | null, time: number): boolean {
  const before = seen.peek()[id] ?? []
  const last = before.at(-1)
  // Several definitions report the same sample.
  if (last !== undefined && last.time >= time) return false
  seen.value = { ...seen.peek(), [id]: [...before, { time, value }].slice(-most) }
  return last !== undefined && (last.value === null) !== (value === null)
}

/** Takes note of the last value of each sensor in a report. @returns whether one fails now, or no more */
function note({ MetricValues = [] }: ShownReport, chassis: string, thermal: Partial<Thermal>): boolean {
  let isOther = false
  batch(() => {
    for (const [property, { MetricValue, Timestamp }] of new Map(
      MetricValues.map((each) => [each.MetricProperty, each])
    )) {
      const id = sensorOf(property, chassis, thermal)
      const value = MetricValue === null ? null : Number(MetricValue)
      if (id !== undefined && see(id, value, Date.parse(Timestamp))) isOther = true
    }
  })
  return isOther
}
