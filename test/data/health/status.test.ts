import t from 'tap'
import type { Condition } from '#data/health'
import { context } from '#test/handlers/context.ts'

const root = '/redfish/v1'
const system = `${root}/Systems/1`
const chassis = `${root}/Chassis/1`
const enclosure = `${root}/Chassis/enclosurechassis`

const condition = (origin: string, severity: Condition['severity'] = 'Critical'): Condition => ({
  origin,
  severity,
  created: '2025-06-01T12:00:00.000Z',
  text: 'It is broken.',
  messageId: 'MgmtEvents.1.0.FanStopped',
  args: ['Fan 1', '0', 'LowerThresholdCritical', '1'],
  entry: 'Managers/1/EventLog/0000000012'
})

/** The status of parts while others have conditions. */
function health(...conditions: Condition[]) {
  const stored = Object.fromEntries(conditions.map((each, at) => [`${each.origin}#${at}`, each]))
  return context({ tables: { condition: stored } }).health
}

/** The parts that a condition of a part makes critical, with what is in them. */
const spreads = (origin: string, parts: readonly string[]) =>
  parts.filter((part) => health(condition(origin))(part).HealthRollup === 'Critical')

const parts = [
  `${chassis}/Sensors/1`,
  `${chassis}/Sensors/2`,
  `${chassis}/ThermalSubsystem`,
  `${chassis}/ThermalSubsystem/Fans/21`,
  `${chassis}/PowerSubsystem`,
  `${chassis}/PowerSubsystem/PowerSupplies/1`,
  chassis,
  enclosure,
  `${system}/Memory`,
  `${system}/Memory/proc1dimm1`,
  `${system}/Memory/proc1dimm10`,
  `${system}/Processors`,
  `${system}/Storage/DE00C000`,
  system,
  `${root}/Managers/1`
]

t.test('a part without conditions is OK, and all of it', async (t) => {
  t.same(health()(system), { State: 'Enabled', Health: 'OK', HealthRollup: 'OK' })
  t.same(health()(system, { State: 'StandbyOffline' }), { State: 'StandbyOffline', Health: 'OK', HealthRollup: 'OK' })
})

t.test('a condition affects its part, and the parts that contain it or depend on it', async (t) => {
  t.same(spreads(`${chassis}/Sensors/1`, parts), [
    `${chassis}/Sensors/1`,
    `${chassis}/ThermalSubsystem`,
    chassis,
    enclosure,
    system
  ])
  const fan = `${chassis}/ThermalSubsystem/Fans/21`
  t.same(spreads(fan, parts), [`${chassis}/ThermalSubsystem`, fan, chassis, enclosure, system])
  const supply = `${chassis}/PowerSubsystem/PowerSupplies/1`
  t.same(spreads(supply, parts), [`${chassis}/PowerSubsystem`, supply, chassis, enclosure, system])
  const module = `${system}/Memory/proc1dimm1`
  t.same(spreads(module, parts), [chassis, enclosure, `${system}/Memory`, module, system])
  t.same(spreads(system, parts), [chassis, enclosure, system])
  t.same(spreads(`${root}/Managers/1`, parts), [`${root}/Managers/1`])
})

t.test('a fault of an enclosure does not affect the health of the chassis in it', async (t) => {
  t.same(spreads(`${enclosure}/Sensors/1`, parts), [enclosure])
})

t.test('the health of a part is its own, and the rollup is the worst', async (t) => {
  const { Health, HealthRollup } = health(
    condition(`${system}/Memory/proc1dimm1`, 'Critical'),
    condition(system, 'Warning')
  )(system)
  t.same([Health, HealthRollup], ['Warning', 'Critical'])
  const own = health(condition(`${system}/Memory/proc1dimm1`, 'Warning'))(system, { Health: 'Critical' })
  t.same([own.Health, own.HealthRollup], ['Critical', 'Critical'], 'a resource may have a health of its own beside')
})

t.test('a condition has a message, an origin, a time and a resolution', async (t) => {
  t.same(health(condition(`${chassis}/ThermalSubsystem/Fans/21`))(system).Conditions, [
    {
      MessageId: 'MgmtEvents.1.0.FanStopped',
      Message: 'It is broken.',
      MessageArgs: ['Fan 1', '0', 'LowerThresholdCritical', '1'],
      Severity: 'Critical',
      OriginOfCondition: { '@odata.id': `${chassis}/ThermalSubsystem/Fans/21/` },
      Timestamp: '2025-06-01T12:00:00.000Z',
      Resolution: 'Replace the fan.',
      LogEntry: { '@odata.id': `${root}/Managers/1/LogServices/EventLog/Entries/12/` }
    }
  ])
})

t.test('the health of an absent or unreachable part is null, unless it has a condition', async (t) => {
  const supply = `${chassis}/PowerSubsystem/PowerSupplies/1`
  for (const State of ['Absent', 'UnavailableOffline'] as const) {
    t.same(health()(supply, { State }), { State, Health: null, HealthRollup: null })
    t.match(health(condition(supply))(supply, { State }), { State, Health: 'Critical', HealthRollup: 'Critical' })
  }
})
