import { signal } from '@preact/signals'
import { type HistoryRange, historyRanges } from '#data/telemetry'
import { joined } from '../rules/chart.ts'
import { readingsAs, thresholdsOf } from '../rules/sensors.ts'
import { seenOf, useHistory } from '../service/readings.ts'
import type { Sensor } from '../types.ts'
import { t } from '../words/index.ts'
import { Chart } from './chart.tsx'
import { download } from './download.ts'
import { Segments } from './segments.tsx'
import { Card, unitOf } from './show.tsx'

/** How far charts reach back; it is still chosen after a look elsewhere. */
const range = signal<HistoryRange>('Hour')

interface Props {
  /** The sensors to draw; thresholds are drawn only for a single sensor. */
  readonly of: readonly Sensor[]
  /** The limit at which a sensor is critical. */
  readonly limitOf: (sensor: Sensor) => number | undefined
  /** The end of the chart, in milliseconds. */
  readonly to: number
}

/** Sensors over ten minutes, an hour or a day, and the file of their readings. */
export function SensorChart({ of, limitOf, to }: Props) {
  const history = useHistory(range.value)
  const from = to - historyRanges[range.value].step * historyRanges[range.value].steps * 1000
  const lines = of.map((each) => ({
    name: each.Name,
    unit: unitOf(each),
    points: joined(history(each), seenOf(each), from)
  }))
  const [first, ...others] = of
  return (
    <Card
      title={of.map(({ Name }) => Name).join(', ')}
      tools={
        <>
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
        </>
      }
    >
      <Chart
        lines={lines}
        bands={first !== undefined && others.length === 0 ? thresholdsOf(first, limitOf(first)) : []}
        from={from}
        to={to}
      />
    </Card>
  )
}

/** The time of the last reading of some sensors, where charts of them end. */
export const endOf = (sensors: readonly Sensor[]) =>
  Math.max(...sensors.map((each) => seenOf(each).at(-1)?.time ?? 0)) || Date.now()
