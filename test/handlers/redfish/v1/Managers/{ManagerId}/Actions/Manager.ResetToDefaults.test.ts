import t from 'tap'
import { POST, privileges } from '#handlers/redfish/v1/Managers/{ManagerId}/Actions/Manager.ResetToDefaults.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1' }

t.test('the controller restarts, and the pending reset keeps the state to be preserved', async (t) => {
  for (const [ResetType, preserved] of [
    ['ResetAll', []],
    ['PreserveNetworkAndUsers', ['network', 'users']],
    ['PreserveNetwork', ['network']]
  ] as const) {
    t.match(await POST(context({ params, body: { ResetType } })), {
      status: 200,
      messages: [{ key: 'Mgmt.ResetInProgress' }],
      writes: { controllerPending: { ResetToFactoryDefaults: { user: 'admin', preserved } } },
      commands: [{ kind: 'restart' }],
      events: [{ message: { key: 'MgmtEvents.ControllerResetRequested', args: ['admin'] } }]
    })
  }
})

t.test('there is no other manager', async (t) => {
  const body = { ResetType: 'ResetAll' } as const
  t.same(await refusal(() => POST(context({ params: { ManagerId: 'constructor' }, body }))), missing)
})

t.test('it takes these privileges', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
})
