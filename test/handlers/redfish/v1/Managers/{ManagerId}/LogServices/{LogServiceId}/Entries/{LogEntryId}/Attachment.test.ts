import t from 'tap'
import { privileges } from '#handlers/redfish/v1/Managers/{ManagerId}/LogServices/{LogServiceId}/Entries/{LogEntryId}/Attachment.ts'

// LogService.CollectDiagnosticData.test.ts reads what it has collected.
t.test('diagnostic data needs MgmtConfigPriv', async (t) => {
  t.same(privileges, { GET: 'MgmtConfigPriv' })
})
