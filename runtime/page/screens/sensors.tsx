import { signal } from '@preact/signals'
import { LastHour } from '../parts/last-hour.tsx'
import { endOf, SensorChart } from '../parts/sensor-chart.tsx'
import { Card, Health, Loaded, unitOf } from '../parts/show.tsx'
import { Table } from '../parts/table.tsx'
import { byNeed, criticalLimit } from '../rules/sensors.ts'
import { lastOf, type Measured, useHistory, useSensors } from '../service/readings.ts'
import type { Sensor } from '../types.ts'
import { labelOf, locale, t, type Word } from '../words/index.ts'

/** The sensors that are compared in the chart; they are still chosen after a look elsewhere. */
const compared = signal<readonly string[]>([])

/** The sensors in groups, the worst first, and a chart of one or several. */
export function Sensors() {
  return <Loaded from={useSensors()}>{(measured) => <All {...measured} />}</Loaded>
}

function All({ sensors, thermal }: Measured) {
  const hour = useHistory('Hour')
  if (sensors.length === 0) return <p class="absent">{t('absent')}</p>
  const limitOf = (sensor: Sensor) => criticalLimit(sensor, thermal)
  const sorted = byNeed(sensors, limitOf)
  const isThere = sorted.some((each) => compared.value.includes(each['@odata.id']))
  const charted = isThere ? sorted.filter((each) => compared.value.includes(each['@odata.id'])) : sorted.slice(0, 1)
  const choose = (sensor: Sensor) => {
    const uris = charted.map((each) => each['@odata.id'])
    const uri = sensor['@odata.id']
    compared.value = uris.includes(uri) ? uris.filter((each) => each !== uri) : [...uris, uri]
  }
  const to = endOf(sensors)
  const types: readonly string[] = sensors.map(({ ReadingType }) => ReadingType ?? '')
  const groups = [...new Set([...Object.keys(groupNames), ...types])].filter((each) => types.includes(each))
  return (
    <>
      <p class="lead">{t('sensorsCount', sensors.length)}</p>
      <SensorChart of={charted} limitOf={limitOf} to={to} />
      {groups.map((type) => (
        <Card key={type} title={groupName(type)}>
          <Table
            caption={groupName(type)}
            columns={[
              { head: t('name'), value: ({ Name }) => Name },
              { head: t('lastHour'), cell: (each) => <LastHour of={each} history={hour} to={to} /> },
              { head: t('reading'), value: lastOf, cell: (each) => `${shown(lastOf(each))} ${unitOf(each)}` },
              {
                head: t('toLimit'),
                value: (each) => (lastOf(each) ?? 0) / (limitOf(each) ?? Number.POSITIVE_INFINITY),
                cell: (each) => <Share of={lastOf(each)} limit={limitOf(each)} name={each.Name} />
              },
              {
                head: t('threshold'),
                value: limitOf,
                cell: (each) => <Limits of={each} critical={limitOf(each)} />
              },
              {
                head: t('health'),
                value: ({ Status }) => Status?.Health,
                cell: ({ Status }) => <Health of={Status?.Health} />
              },
              {
                head: t('chart'),
                cell: (each) => (
                  <input
                    type="checkbox"
                    aria-label={t('chartOf', each.Name)}
                    checked={charted.includes(each)}
                    onChange={() => choose(each)}
                  />
                )
              }
            ]}
            rows={sorted.filter((each) => (each.ReadingType ?? '') === type)}
            keyOf={(each) => each['@odata.id']}
          />
        </Card>
      ))}
    </>
  )
}

/** The kinds of readings in the order of their groups; others follow. */
const groupNames: Partial<Record<string, Word>> = {
  Temperature: 'temperatures',
  Percent: 'speedsAndLoads',
  Power: 'power',
  EnergykWh: 'energy'
}

/** Kinds without a word of their own have that of the standard; some sensors have none. */
function groupName(type: string): string {
  const word = groupNames[type] ?? (type === '' ? 'sensors' : undefined)
  return word === undefined ? labelOf(type) : t(word)
}

const shown = (reading: number | null) => (reading === null ? '–' : reading.toLocaleString(locale.value))

/** The upper thresholds: the critical one, and the one that warns. */
function Limits({ of, critical }: { readonly of: Sensor; readonly critical: number | undefined }) {
  const caution = of.Thresholds?.UpperCaution?.Reading
  return (
    <>
      {critical !== undefined && `${shown(critical)} ${unitOf(of)} `}
      {caution != null && (
        <small>
          {labelOf('Warning')}: <bdi>{`${shown(caution)} ${unitOf(of)}`}</bdi>
        </small>
      )}
    </>
  )
}

/** How near a reading is to its limit. */
function Share({
  of,
  limit,
  name
}: {
  readonly of: number | null
  readonly limit: number | undefined
  readonly name: string
}) {
  if (of === null || limit === undefined || limit <= 0) return null
  return <meter aria-label={t('shareOf', name)} min={0} max={limit} high={limit * 0.9} optimum={0} value={of} />
}
