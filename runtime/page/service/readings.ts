import { batch, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type HistoryRange, historyRanges } from '#data/telemetry'
import { historyPoints, type Point } from '../rules/chart.ts'
import { type Known, partOf, valueIn } from '../rules/known.ts'
import { sensorOf } from '../rules/sensors.ts'
import type { EnvironmentMetrics, Expanded, Sensor, SensorHistory, Thermal } from '../types.ts'
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

/** The sensors with their readings as they come, for as long as a component shows them. */
export function useSensors(): Known<Measured> {
  const chassis = useChassis()
  const collection = partOf(chassis, ({ Sensors }) => Sensors && `${Sensors['@odata.id']}?$expand=.`)
  const sensors = useResource<Expanded<Sensor>>(collection)
  // Some machines have no such resource: their sensors are reported by their own URIs.
  const thermal = useResource<Thermal>(partOf(chassis, ({ Thermal }) => Thermal?.['@odata.id'] ?? undefined))
  const [at, uri] = [valueIn(chassis)?.['@odata.id'], valueIn(collection)]
  const limits: Partial<Thermal> = valueIn(thermal) ?? {}
  useEffect(() => {
    if (at === undefined || uri === undefined || thermal.state === 'loading') return
    return followReports((report) => void (note(report, at, limits) && reread(uri)))
  }, [at, uri, thermal.state])
  const members = valueIn(sensors)
  useEffect(() => {
    if (members === undefined) return
    // By the clock of the service, as the times of reports: that of the browser may be another one.
    const date = Date.parse((sensors.state === 'there' && sensors.headers?.get('Date')) || '')
    batch(() => {
      for (const { '@odata.id': id, Reading } of members.Members) see(id, Reading ?? null, date || Date.now())
    })
  }, [members])
  return partOf(sensors, ({ Members }) => ({ sensors: Members, thermal: limits }))
}

/** The readings of a sensor that were seen. */
export const seenOf = ({ '@odata.id': id }: Sensor): readonly Point[] => seen.value[id] ?? []

/** The last reading of a sensor; null if it could not be read. */
export const lastOf = (sensor: Sensor) => seenOf(sensor).at(-1)?.value ?? null

/** A range of the history that the service keeps; a machine without one has only the readings that were seen. */
export function useHistory(range: HistoryRange): (sensor: Sensor) => readonly Point[] {
  const metrics = partOf(useChassis(), (chassis) => chassis.EnvironmentMetrics?.['@odata.id'])
  const uri = partOf(useResource<EnvironmentMetrics>(metrics), ({ Oem }) => {
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
