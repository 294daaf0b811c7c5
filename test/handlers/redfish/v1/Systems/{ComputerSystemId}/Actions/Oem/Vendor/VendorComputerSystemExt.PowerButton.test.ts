import t from 'tap'
import type { PowerState } from '#hal/power.ts'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Actions/Oem/Vendor/VendorComputerSystemExt.PowerButton.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const push = (PushType: 'Press' | 'PressAndHold', power: PowerState, ComputerSystemId = '1') =>
  POST(context({ params: { ComputerSystemId }, body: { PushType }, power }))

t.test('a press is a short one, whether the machine is on or off', async (t) => {
  for (const power of ['On', 'Off'] as const) {
    t.match(await push('Press', power), {
      status: 200,
      messages: [{ key: 'Base.Success' }],
      commands: [{ kind: 'power', operation: 'pressButton', system: '1' }]
    })
  }
})

t.test('press and hold cuts the power', async (t) => {
  t.match(await push('PressAndHold', 'On'), { commands: [{ kind: 'power', operation: 'holdButton', system: '1' }] })
})

t.test('holding the button of a machine that is off is a conflict', async (t) => {
  t.same(await refusal(() => push('PressAndHold', 'Off')), {
    status: 409,
    messages: [['Mgmt.InvalidOperationForSystemState']]
  })
})

t.test('a missing system is 404', async (t) => {
  t.same(await refusal(() => push('Press', 'Off', '2')), missing)
})

t.test('the button takes VirtualPowerAndResetPriv', async (t) => {
  t.same(privileges, { POST: 'VirtualPowerAndResetPriv' })
})
