import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { type History, type HistoryRange, metricProperties } from '#data/telemetry'
import { GET, privileges } from '#handlers/redfish/v1/Chassis/{ChassisId}/EnvironmentMetrics/SensorHistory.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const properties = metricProperties(sim as unknown as Board)
const property = (of: string) => properties.find(({ uri }) => uri.includes(of))!
const series = (of: string, ...last: readonly number[]) => {
  const all = Float32Array.from([...new Array(58).fill(Number.NaN), ...last])
  return { property: property(of), average: all, minimum: all, maximum: all }
}

t.test(
  'the history of a chassis has steps of ten seconds, a minute and half an hour, with the sensor of each series, since the first that was measured',
  async (t) => {
    const asked: string[] = []
    const sensorHistory = (chassis: string, range: HistoryRange): History => {
      asked.push(`${chassis} ${range}`)
      return {
        end: Date.parse('2025-06-01T12:00:00Z'),
        series: [series('Temperatures/0', Number.NaN, 21.504), series('PowerControl', 300, 301)]
      }
    }
    const shown = GET(context({ params: { ChassisId: '1' }, sensorHistory }))
    t.same(asked, ['1 TenMinutes', '1 Hour', '1 Day'])
    t.same([shown.TenMinutes?.Interval, shown.Hour?.Interval, shown.Day?.Interval], ['PT10S', 'PT60S', 'PT1800S'])
    t.same(shown.Hour, {
      Interval: 'PT60S',
      EndTime: '2025-06-01T12:00:00.000Z',
      Series: [
        {
          Sensor: { '@odata.id': '/redfish/v1/Chassis/1/Sensors/1/' },
          Average: [null, 21.5],
          Maximum: [null, 21.5],
          Minimum: [null, 21.5]
        },
        {
          Sensor: { '@odata.id': '/redfish/v1/Chassis/1/Sensors/TotalPower/' },
          Average: [300, 301],
          Maximum: [300, 301],
          Minimum: [300, 301]
        }
      ]
    })
  }
)

t.test('before the first sample there is no time, and an unknown chassis has no history', async (t) => {
  const sensorHistory = (): History => ({ end: 0, series: [] })
  const shown = GET(context({ params: { ChassisId: '1' }, sensorHistory }))
  t.same(shown.Day, { Interval: 'PT1800S', EndTime: null, Series: [] })
  t.same(await refusal(() => GET(context({ params: { ChassisId: '2' }, sensorHistory }))), missing)
  t.same(privileges, { GET: 'LoginPriv' })
})
