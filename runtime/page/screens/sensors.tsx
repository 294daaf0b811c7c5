import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Card, Health, Loaded, Table } from '../parts/show.tsx'
import { pointsOf } from '../rules/chart.ts'
import { useChassis } from '../service/machine.ts'
import { reread, useResource } from '../service/resources.ts'
import type { Expanded, Sensor, Thermal } from '../types.ts'
import { language, t } from '../words.ts'

/** Readings are no events: they are asked for as often as the service itself reads its sensors. In milliseconds. */
const interval = 5000

/** As many readings of each sensor as a chart shows. */
const most = 120

/** The readings that were seen, by the URI of their sensor. */
const seen = signal<Readonly<Record<string, readonly number[]>>>({})

/** Every sensor as a small chart, and all of them in a table to copy. */
export function Sensors() {
  const { value: chassis } = useChassis()
  const collection = chassis?.Sensors?.['@odata.id']
  const uri = collection && `${collection}?$expand=.`
  const sensors = useResource<Expanded<Sensor>>(uri)
  const { value: thermal } = useResource<Thermal>(chassis?.Thermal?.['@odata.id'])
  useEffect(() => {
    if (uri === undefined) return
    const timer = setInterval(() => document.visibilityState === 'visible' && void reread(uri), interval)
    return () => clearInterval(timer)
  }, [uri])
  useEffect(() => {
    for (const { '@odata.id': id, Reading } of sensors.value?.Members ?? []) {
      if (Reading != null) seen.value = { ...seen.peek(), [id]: [...(seen.peek()[id] ?? []), Reading].slice(-most) }
    }
  }, [sensors.value])
  const limitOf = (sensor: Sensor) =>
    thermal?.Temperatures?.find((each) => String(each.SensorNumber) === sensor.Id)?.UpperThresholdCritical ?? undefined
  return (
    <Loaded from={sensors}>
      {({ Members }) => (
        <>
          <div class="charts">
            {Members.map((each) => (
              <Chart key={each['@odata.id']} sensor={each} limit={limitOf(each)} />
            ))}
          </div>
          <Card title={t('table')}>
            <Table
              caption={t('sensors')}
              head={[t('name'), t('reading'), t('unit'), t('threshold'), t('health')]}
              rows={Members.map((each) => [
                each.Name,
                shown(each),
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

/** Units are codes of UCUM; the degree is the one that reads otherwise. */
const unitOf = ({ ReadingUnits }: Sensor) => (ReadingUnits === 'Cel' ? '°C' : (ReadingUnits ?? ''))

const shown = ({ Reading }: Sensor) => (Reading == null ? '–' : Reading.toLocaleString(language.value))

function Chart({ sensor, limit }: { readonly sensor: Sensor; readonly limit: number | undefined }) {
  const readings = seen.value[sensor['@odata.id']] ?? []
  const { line, limitAt } = pointsOf(readings, limit, most)
  const isHigh = limit !== undefined && (sensor.Reading ?? 0) >= limit
  const text = `${sensor.Name} ${shown(sensor)} ${unitOf(sensor)}`
  return (
    <figure class={`chart ${isHigh ? 'high' : ''}`}>
      <figcaption>
        {sensor.Name} <b>{shown(sensor)}</b> {unitOf(sensor)}
      </figcaption>
      <svg viewBox="0 0 120 40" preserveAspectRatio="none" role="img" aria-label={text}>
        {limitAt !== undefined && <line class="limit" x1="0" x2="120" y1={limitAt} y2={limitAt} />}
        <polyline points={line} />
      </svg>
    </figure>
  )
}
