import t from 'tap'
import {
  POST,
  privileges
} from '../../../../../../../handlers/redfish/v1/Managers/{ManagerId}/Actions/Manager.Reset.ts'
import { context, missing, refusal } from '../../../../../context.ts'

t.test('a reset restarts the service and leaves the host alone', async (t) => {
  for (const ResetType of ['ForceRestart', 'GracefulRestart'] as const) {
    t.match(await POST(context({ params: { ManagerId: '1' }, body: { ResetType } })), {
      status: 200,
      messages: [{ key: 'Mgmt.ResetInProgress' }],
      commands: [{ restart: 'service' }]
    })
  }
})

t.test('there is nothing to reset where there is no manager', async (t) => {
  const nowhere = context({ params: { ManagerId: '2' }, body: { ResetType: 'ForceRestart' as const } })
  t.same(await refusal(() => POST(nowhere)), missing)
})

t.test('a reset takes MgmtConfigPriv', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
})
