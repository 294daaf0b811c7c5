import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Chassis/{ChassisId}/Power.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Chassis/1/Power'
const params = { ChassisId: '1' }
const powerMetrics = () => undefined
const readings = { '1/31': 148, '1/32': 141 }

t.test('the power that is drawn is that of all supplies together', async (t) => {
  const { PowerControl = [], PowerSupplies = [] } = GET(context({ uri, params, readings, powerMetrics }))
  t.same(
    PowerSupplies.map((each) => each.LastPowerOutputWatts),
    [148, 141]
  )
  t.equal(PowerControl[0]?.PowerConsumedWatts, 289)
  t.equal(PowerControl[0]?.PowerCapacityWatts, 1600)
})

t.test('a power supply shows its identity and its place', async (t) => {
  const shown = GET(context({ uri, params, readings, powerMetrics }))
  t.equal(shown['PowerSupplies@odata.count'], 2)
  t.match(shown.PowerSupplies?.[1], {
    '@odata.id': `${uri}/#/PowerSupplies/1`,
    MemberId: '1',
    Name: 'Power supply 2',
    PowerCapacityWatts: 800,
    LineInputVoltage: 230,
    Status: { State: 'Enabled', Health: 'OK' }
  })
})

t.test('it shows how the power was in the time for which there are samples, a minute at least', async (t) => {
  const measured = { minimum: 210, maximum: 410, average: 290.5 }
  const shown = (duration: number) =>
    GET(context({ uri, params, readings, powerMetrics: () => ({ ...measured, duration }) })).PowerControl?.[0]
      ?.PowerMetrics
  const watts = { MinConsumedWatts: 210, MaxConsumedWatts: 410, AverageConsumedWatts: 290.5 }
  t.same(shown(3_595_000), { ...watts, IntervalInMin: 60 })
  t.same(shown(0), { ...watts, IntervalInMin: 1 })
})

t.test('a supply that cannot be read leaves the sum unknown', async (t) => {
  const { PowerControl, PowerSupplies } = GET(context({ uri, params, readings: { '1/31': 148 }, powerMetrics }))
  t.equal(PowerControl?.[0]?.PowerConsumedWatts, null)
  t.match(PowerSupplies?.[1], { LastPowerOutputWatts: null, Status: { State: 'UnavailableOffline', Health: null } })
})

t.test('a chassis without supplies draws nothing that is known, and one that is not there has no power', async (t) => {
  const enclosure = GET(context({ uri, params: { ChassisId: 'enclosurechassis' }, powerMetrics }))
  t.same([enclosure.PowerControl?.[0]?.PowerConsumedWatts, enclosure.PowerSupplies], [null, []])
  t.same(await refusal(() => GET(context({ params: { ChassisId: '2' }, powerMetrics }))), missing)
})

t.test('reading takes LoginPriv, a limit MgmtConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' })
})
