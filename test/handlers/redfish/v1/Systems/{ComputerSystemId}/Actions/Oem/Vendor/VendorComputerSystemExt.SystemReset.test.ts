import t from 'tap'
import type { PowerState } from '#hal/power.ts'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Actions/Oem/Vendor/VendorComputerSystemExt.SystemReset.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const reset = (ResetType: 'ColdBoot' | 'AuxCycle', power: PowerState, ComputerSystemId = '1') =>
  POST(context({ params: { ComputerSystemId }, body: { ResetType }, power }))

t.test('an AuxCycle begins at once while the system is off', async (t) => {
  t.match(await reset('AuxCycle', 'Off'), {
    status: 200,
    messages: [{ key: 'Mgmt.ResetInProgress' }],
    commands: [{ kind: 'power', operation: 'auxCycle', system: '1' }]
  })
})

t.test('an AuxCycle does nothing unless the system is off, and its message gives the first step', async (t) => {
  for (const power of ['On', 'PoweringOn', 'PoweringOff'] as const) {
    const { status, messages, commands } = await reset('AuxCycle', power)
    t.same(
      { status, messages, commands },
      {
        status: 200,
        messages: [{ key: 'Mgmt.SystemPowerOffRequired', args: [] }],
        commands: []
      }
    )
  }
})

t.test('a cold boot cycles the power of a system that is on', async (t) => {
  t.match(await reset('ColdBoot', 'On'), {
    status: 200,
    messages: [{ key: 'Base.Success' }],
    commands: [{ kind: 'power', operation: 'coldBoot', system: '1' }]
  })
  t.same(await refusal(() => reset('ColdBoot', 'Off')), {
    status: 409,
    messages: [['Mgmt.InvalidOperationForSystemState']]
  })
})

t.test('a missing system is 404', async (t) => {
  t.same(await refusal(() => reset('AuxCycle', 'Off', '2')), missing)
})

t.test('a reset takes VirtualPowerAndResetPriv', async (t) => {
  t.same(privileges, { POST: 'VirtualPowerAndResetPriv' })
})
