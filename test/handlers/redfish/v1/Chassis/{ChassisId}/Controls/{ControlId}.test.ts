import t from 'tap'
import { POST } from '#handlers/redfish/v1/Chassis/{ChassisId}/Controls/{ControlId}/Actions/Control.ResetToDefaults.ts'
import { GET, PATCH, privileges } from '#handlers/redfish/v1/Chassis/{ChassisId}/Controls/{ControlId}.ts'
import { PATCH as patchMetrics } from '#handlers/redfish/v1/Chassis/{ChassisId}/EnvironmentMetrics.ts'
import { PATCH as patchPower } from '#handlers/redfish/v1/Chassis/{ChassisId}/Power.ts'
import { badRequest, context, missing, refusal } from '#test/handlers/context.ts'

const params = { ChassisId: '1', ControlId: 'PowerLimit' }
const set = { watts: 400, enabled: true } as const

t.test('the control of the power shows its allowable range', async (t) => {
  t.match(GET(context({ params })), {
    ControlType: 'Power',
    ControlMode: 'Disabled',
    SetPoint: 1600,
    DefaultSetPoint: 1600,
    SetPointUnits: 'W',
    AllowableMin: 150,
    AllowableMax: 1600,
    Status: { State: 'Disabled' }
  })
  t.match(GET(context({ params, tables: { powerLimit: { 1: set } } })), { ControlMode: 'Automatic', SetPoint: 400 })
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' })
})

t.test('a change is stored, and the board gets the limit in effect', async (t) => {
  const changed = async (body: object, before = {}) => {
    const { writes, commands } = await PATCH(context({ params, body, tables: { powerLimit: before } }))
    return [writes?.powerLimit?.['1'], commands]
  }
  const command = (watts: number | null) => ({ kind: 'limitPower', chassis: '1', watts })
  t.same(await changed({ SetPoint: 400 }), [set, [command(400)]])
  t.same(await changed({ SetPoint: 400 }, { 1: set }), [set, []], 'what is the same commands nothing')
  t.same(await changed({ ControlMode: 'Disabled' }, { 1: set }), [{ enabled: false }, [command(null)]])
  t.same(await changed({ SetPoint: 300, ControlMode: 'Disabled' }, { 1: set }), [
    { ...set, watts: 300, enabled: false },
    [command(null)]
  ])
  t.same(await changed({ ControlMode: 'Automatic' }), [{ enabled: true }, [command(1600)]])
  t.same(await changed({}, { 1: set }), [undefined, []], 'what is not named changes nothing')
  const { writes, commands } = await POST(context({ params, body: {}, tables: { powerLimit: { 1: set } } }))
  t.same([writes, commands], [{ powerLimit: { 1: null } }, [command(null)]])
})

t.test('a limit that the machine cannot hold is refused, in each of its places', async (t) => {
  for (const watts of [149, 1601, -1, 1e300]) {
    const value = String(watts)
    const body = { PowerLimitWatts: { SetPoint: watts } }
    const range = (path: string) => [['Base.PropertyValueOutOfRange', value, path]]
    t.same(await badRequest(() => PATCH(context({ params, body: { SetPoint: watts } }))), range('SetPoint'))
    t.same(await badRequest(() => patchMetrics(context({ params, body }))), range('PowerLimitWatts/SetPoint'))
    const legacy = { PowerControl: [{ MemberId: '0', PowerLimit: { LimitInWatts: watts } }] }
    t.same(
      await badRequest(() => patchPower(context({ params, body: legacy }))),
      range('PowerControl/0/PowerLimit/LimitInWatts')
    )
  }
})

t.test('a limit is unknown while the program that holds it is away', async (t) => {
  const tables = { powerLimit: { 1: { watts: null, enabled: null } } }
  t.match(GET(context({ params, tables })), { ControlMode: null, SetPoint: null, AllowableMax: 1600 })
  for (const name of ['ControlMode', 'SetPoint'])
    t.same(await badRequest(() => PATCH(context({ params, body: { [name]: null } }))), [
      ['Base.PropertyValueTypeError', 'null', name]
    ])
})

t.test('a chassis whose power cannot be limited has no control, and takes no limit', async (t) => {
  const enclosure = { ChassisId: 'enclosurechassis', ControlId: 'PowerLimit' }
  t.same(await refusal(() => GET(context({ params: enclosure }))), missing)
  t.same(await refusal(() => PATCH(context({ params: enclosure, body: { SetPoint: 400 } }))), missing)
  t.same(await refusal(() => POST(context({ params: enclosure, body: {} }))), missing)
  t.same(await refusal(() => GET(context({ params: { ...params, ControlId: 'FanSpeed' } }))), missing)
  const body = { PowerLimitWatts: { SetPoint: 400 } }
  t.same(await badRequest(() => patchMetrics(context({ params: enclosure, body }))), [
    ['Base.PropertyNotWritable', 'PowerLimitWatts/SetPoint']
  ])
})
