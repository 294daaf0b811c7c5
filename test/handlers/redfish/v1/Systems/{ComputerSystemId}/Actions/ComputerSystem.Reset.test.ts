import t from 'tap'
import type { PowerState } from '#hal/power.ts'
import {
  type body,
  POST,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Actions/ComputerSystem.Reset.ts'
import type { Infer } from '#runtime/schema'
import { context, missing, refusal } from '#test/handlers/context.ts'

type ResetType = Infer<typeof body>['ResetType']

const reset = (ResetType: ResetType, power: PowerState, ComputerSystemId = '1') =>
  POST(context({ params: { ComputerSystemId }, body: { ResetType }, power }))

t.test('each type sends the machine its own operation', async (t) => {
  for (const [type, state, power] of [
    ['On', 'Off', 'on'],
    ['ForceOff', 'On', 'forceOff'],
    ['GracefulShutdown', 'On', 'gracefulShutdown'],
    ['ForceRestart', 'On', 'forceRestart'],
    ['Nmi', 'On', 'nmi'],
    ['PushPowerButton', 'On', 'pressButton'],
    ['PushPowerButton', 'Off', 'pressButton'],
    ['GracefulRestart', 'On', 'gracefulRestart']
  ] as const) {
    const { status, messages, commands, writes } = await reset(type, state)
    t.same(
      { status, messages, commands, writes },
      {
        status: 200,
        messages: [{ key: 'Base.Success', args: [] }],
        commands: [{ kind: 'power', operation: power, system: '1' }],
        writes: undefined
      }
    )
  }
})

t.test('an operation that does not fit the present state is 409', async (t) => {
  for (const [type, state] of [
    ['On', 'On'],
    ['ForceOff', 'Off'],
    ['GracefulShutdown', 'Off'],
    ['ForceRestart', 'Off'],
    ['Nmi', 'Off'],
    ['GracefulRestart', 'Off']
  ] as const) {
    t.same(await refusal(() => reset(type, state)), {
      status: 409,
      messages: [['Mgmt.InvalidOperationForSystemState']]
    })
  }
})

t.test('a missing system is 404', async (t) => {
  t.same(await refusal(() => reset('On', 'Off', '2')), missing)
})

t.test('a reset takes VirtualPowerAndResetPriv', async (t) => {
  t.same(privileges, { POST: 'VirtualPowerAndResetPriv' })
})
