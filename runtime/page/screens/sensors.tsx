import { batch, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Card, Health, Loaded, Table, unitOf } from '../parts/show.tsx'
import { pointsOf } from '../rules/chart.ts'
import { partOf, valueIn } from '../rules/known.ts'
import { isReported, sensorOf } from '../rules/sensors.ts'
import { useChassis } from '../service/machine.ts'
import { reread, useResource } from '../service/resources.ts'
import { followReports, type ShownReport } from '../service/stream.ts'
import type { Expanded, Sensor, Thermal } from '../types.ts'
import { language, t } from '../words/index.ts'

/** As many readings of each sensor as a chart shows. */
const most = 120

/** The readings that were seen, by the URI of their sensor. What could not be read is null. */
const seen = signal<Readonly<Record<string, readonly Seen[]>>>({})

interface Seen {
  readonly time: string
  readonly reading: number | null
}

/** Every sensor whose readings are reported as a small chart, and all of them in a table to copy. */
export function Sensors() {
  const chassis = useChassis()
  const collection = partOf(chassis, ({ Sensors }) => Sensors && `${Sensors['@odata.id']}?$expand=.`)
  const sensors = useResource<Expanded<Sensor>>(collection)
  // Some machines have no such resource: their sensors are reported by their own URIs.
  const thermal = useResource<Thermal>(partOf(chassis, ({ Thermal }) => Thermal?.['@odata.id']))
  const [at, uri] = [valueIn(chassis)?.['@odata.id'], valueIn(collection)]
  const limits: Partial<Thermal> = valueIn(thermal) ?? {}
  useEffect(() => {
    if (at === undefined || uri === undefined || thermal.state === 'loading') return
    const again = () => void reread(uri)
    return followReports((report) => void (note(report, at, limits) && again()))
  }, [at, uri, thermal.state])
  const members = valueIn(sensors)
  useEffect(() => {
    for (const { '@odata.id': id, Reading } of members?.Members ?? []) see(id, Reading ?? null)
  }, [members])
  const limitOf = (sensor: Sensor) =>
    limits.Temperatures?.find((each) => String(each.SensorNumber) === sensor.Id)?.UpperThresholdCritical ?? undefined
  return (
    <Loaded from={sensors}>
      {({ Members }) => (
        <>
          <div class="charts">
            {Members.filter(isReported).map((each) => (
              <Chart key={each['@odata.id']} sensor={each} limit={limitOf(each)} />
            ))}
          </div>
          <Card title={t('table')}>
            <Table
              caption={t('sensors')}
              head={[t('name'), t('reading'), t('unit'), t('threshold'), t('health')]}
              rows={Members.map((each) => [
                each.Name,
                shown(lastOf(each)),
                unitOf(each),
                limitOf(each) ?? '',
                <Health key="health" of={each.Status?.Health} />
              ])}
            />
          </Card>
        </>
      )}
    </Loaded>
  )
}

const shown = (reading: number | null) => (reading === null ? '–' : reading.toLocaleString(language.value))

const lastOf = ({ '@odata.id': id }: Sensor) => seen.value[id]?.at(-1)?.reading ?? null

/** Takes note of a reading; without a time it is of the time of the last one. @returns whether the sensor fails now, or no more */
function see(id: string, reading: number | null, time?: string): boolean {
  const before = seen.peek()[id] ?? []
  const last = before.at(-1)
  // Several definitions report the same sample.
  if (last !== undefined && last.time === time) return false
  seen.value = { ...seen.peek(), [id]: [...before, { time: time ?? last?.time ?? '', reading }].slice(-most) }
  return last !== undefined && (last.reading === null) !== (reading === null)
}

/** Takes note of the last value of each sensor in a report. @returns whether one fails now, or no more */
function note({ MetricValues = [] }: ShownReport, chassis: string, thermal: Partial<Thermal>): boolean {
  let isOther = false
  batch(() => {
    for (const [property, { MetricValue, Timestamp }] of new Map(
      MetricValues.map((each) => [each.MetricProperty, each])
    )) {
      const id = sensorOf(property, chassis, thermal)
      if (id !== undefined && see(id, MetricValue === null ? null : Number(MetricValue), Timestamp)) isOther = true
    }
  })
  return isOther
}

function Chart({ sensor, limit }: { readonly sensor: Sensor; readonly limit: number | undefined }) {
  const all = (seen.value[sensor['@odata.id']] ?? []).flatMap(({ reading }) => reading ?? [])
  const { line, limitAt } = pointsOf(all, limit, most)
  const last = lastOf(sensor)
  const isHigh = limit !== undefined && (last ?? 0) >= limit
  const text = `${sensor.Name} ${shown(last)} ${unitOf(sensor)}`
  return (
    <figure class={`chart ${isHigh ? 'high' : ''}`}>
      <figcaption>
        {sensor.Name} <b>{shown(last)}</b> {unitOf(sensor)}
      </figcaption>
      <svg viewBox="0 0 120 40" preserveAspectRatio="none" role="img" aria-label={text}>
        {limitAt !== undefined && <line class="limit" x1="0" x2="120" y1={limitAt} y2={limitAt} />}
        <polyline points={line} />
      </svg>
    </figure>
  )
}
