import t from 'tap'
import { POST, privileges, whileDisabled } from '#handlers/redfish/v1/Managers/{ManagerId}/Actions/Manager.Reset.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const tables = { session: { 'admin-1': { user: 'admin' }, 'eve-2': { user: 'eve' } } }

t.test('a reset restarts the service, and leaves sessions and the host alone', async (t) => {
  for (const [body, reset] of [
    [{ ResetType: 'ForceRestart' }, 'force'],
    [{ ResetType: 'GracefulRestart' }, 'graceful'],
    [{}, 'graceful']
  ] as const) {
    const outcome = await POST(context({ params: { ManagerId: '1' }, tables, body }))
    t.match(outcome, {
      status: 200,
      messages: [{ key: 'Mgmt.ResetInProgress' }],
      commands: [{ kind: 'restart', reset }],
      events: [{ message: { key: 'MgmtEvents.ControllerResetRequested', args: ['admin'] } }]
    })
    t.same(outcome.writes, { controllerPending: { Reset: { user: 'admin' } } })
  }
})

t.test('a missing manager is 404', async (t) => {
  const nowhere = context({ params: { ManagerId: '2' }, body: { ResetType: 'ForceRestart' as const } })
  t.same(await refusal(() => POST(nowhere)), missing)
})

t.test('a reset takes MgmtConfigPriv, and is served while everything else is disabled', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
  t.equal(whileDisabled, true)
})
