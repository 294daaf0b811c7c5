import { signal } from '@preact/signals'
import { type HistoryRange, historyRanges } from '#data/telemetry'
import { type Band, Chart, type Line } from '../parts/chart.tsx'
import { download } from '../parts/download.ts'
import { LastHour } from '../parts/last-hour.tsx'
import { Segments } from '../parts/segments.tsx'
import { Card, Health, Loaded, Table, unitOf } from '../parts/show.tsx'
import { joined } from '../rules/chart.ts'
import { byNeed, criticalLimit, readingsAs, thresholdsOf } from '../rules/sensors.ts'
import { lastOf, type Measured, seenOf, useHistory, useSensors } from '../service/readings.ts'
import type { Sensor } from '../types.ts'
import { language, t, type Word } from '../words/index.ts'

/** The range of the chart, and the sensors that are compared in it; they are still chosen after a look elsewhere. */
const range = signal<HistoryRange>('Hour')
const compared = signal<readonly string[]>([])

/** The sensors in groups, the worst first, and a chart of one or several. */
export function Sensors() {
  return <Loaded from={useSensors()}>{(measured) => <All {...measured} />}</Loaded>
}

function All({ sensors, thermal }: Measured) {
  const shownHistory = useHistory(range.value)
  const hour = useHistory('Hour')
  if (sensors.length === 0) return <p>{t('absent')}</p>
  const limitOf = (sensor: Sensor) => criticalLimit(sensor, thermal)
  const sorted = byNeed(sensors, limitOf)
  const isThere = sorted.some((each) => compared.value.includes(each['@odata.id']))
  const charted = isThere ? sorted.filter((each) => compared.value.includes(each['@odata.id'])) : sorted.slice(0, 1)
  const choose = (sensor: Sensor) => {
    const uris = charted.map((each) => each['@odata.id'])
    const uri = sensor['@odata.id']
    compared.value = uris.includes(uri) ? uris.filter((each) => each !== uri) : [...uris, uri]
  }
  const to = Math.max(...sensors.map((each) => seenOf(each).at(-1)?.time ?? 0)) || Date.now()
  const from = to - lengthOf(range.value)
  const lines: Line[] = charted.map((each) => ({
    name: each.Name,
    unit: unitOf(each),
    points: joined(shownHistory(each), seenOf(each), from)
  }))
  const bands: readonly Band[] = charted.length === 1 ? thresholdsOf(charted[0]!, limitOf(charted[0]!)) : []
  const types: readonly string[] = sensors.map(({ ReadingType }) => ReadingType ?? '')
  const groups = [...new Set([...Object.keys(groupNames), ...types])].filter((each) => types.includes(each))
  return (
    <>
      <p class="lead">{t('sensorsCount', String(sensors.length))}</p>
      <div class="tools">
        <Segments
          label={t('range')}
          choices={(Object.keys(historyRanges) as HistoryRange[]).map((each) => [each, t(each)] as const)}
          value={range.value}
          onChoose={(chosen) => {
            range.value = chosen
          }}
        />
        <button type="button" onClick={() => download('sensors.csv', 'text/csv', readingsAs(lines))}>
          CSV
        </button>
      </div>
      <Card title={charted.map(({ Name }) => Name).join(', ')}>
        <Chart lines={lines} bands={bands} from={from} to={to} />
      </Card>
      {groups.map((type) => (
        <Card key={type} title={t(groupNames[type] ?? 'sensors')}>
          <Table
            caption={t(groupNames[type] ?? 'sensors')}
            head={[t('name'), t('lastHour'), t('reading'), t('toLimit'), t('threshold'), t('health'), t('chart')]}
            rows={sorted
              .filter((each) => (each.ReadingType ?? '') === type)
              .map((each) => [
                each.Name,
                <LastHour key="line" of={each} history={hour} to={to} />,
                `${shown(lastOf(each))} ${unitOf(each)}`,
                <Share key="share" of={lastOf(each)} limit={limitOf(each)} name={each.Name} />,
                limitOf(each) === undefined ? '' : `${shown(limitOf(each)!)} ${unitOf(each)}`,
                <Health key="health" of={each.Status?.Health} />,
                <input
                  key="chart"
                  type="checkbox"
                  aria-label={t('chartOf', each.Name)}
                  checked={charted.includes(each)}
                  onChange={() => choose(each)}
                />
              ])}
          />
        </Card>
      ))}
    </>
  )
}

/** How long a range is, in milliseconds. */
const lengthOf = (each: HistoryRange) => historyRanges[each].step * historyRanges[each].steps * 1000

/** The kinds of readings in the order of their groups; others follow. */
const groupNames: Partial<Record<string, Word>> = {
  Temperature: 'temperatures',
  Percent: 'speedsAndLoads',
  Power: 'power',
  EnergykWh: 'energy'
}

const shown = (reading: number | null) => (reading === null ? '–' : reading.toLocaleString(language.value))

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
