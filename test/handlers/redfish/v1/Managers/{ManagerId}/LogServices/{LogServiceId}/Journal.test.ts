import t from 'tap'
import { POST as collect } from '#handlers/redfish/v1/Managers/{ManagerId}/LogServices/{LogServiceId}/Actions/LogService.CollectDiagnosticData.ts'
import { GET as entry } from '#handlers/redfish/v1/Managers/{ManagerId}/LogServices/{LogServiceId}/Entries/{LogEntryId}.ts'
import { GET as entries } from '#handlers/redfish/v1/Managers/{ManagerId}/LogServices/{LogServiceId}/Entries.ts'
import { GET as service } from '#handlers/redfish/v1/Managers/{ManagerId}/LogServices/{LogServiceId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Managers/1/LogServices/Journal'
const params = { ManagerId: '1', LogServiceId: 'Journal' }
const time = '2025-06-01T12:00:00.000Z'
const lines = [
  JSON.stringify({ time, level: 'info', message: 'listening', port: 443 }),
  JSON.stringify({ time, level: 'warning', message: 'it rains', where: 'here', details: { for: 'hours' } }),
  JSON.stringify({ time, level: 'error', message: 'it pours' }),
  'half a li',
  '7'
]
const serviceLog = () => ({ lines, dropped: 40 })
const forbidden = { status: 403, messages: [['Base.InsufficientPrivilege']] }

t.test('the journal offers nothing that changes it', async (t) => {
  const { Actions, LogEntryType, OverWritePolicy, ...rest } = service(context({ uri, params }))
  t.same([Actions, LogEntryType, OverWritePolicy], [{}, 'OEM', 'WrapsWhenFull'])
  t.notOk('MaxNumberOfRecords' in rest, 'characters bound it')
  const body = { DiagnosticDataType: 'Manager' } as const
  t.same(await refusal(() => collect(context({ params, body, serviceLog }))), missing)
})

t.test('entries are the lines of the service, with their fields; other text is shown unchanged', async (t) => {
  const { Members } = entries(context({ uri: `${uri}/Entries`, params, serviceLog }))
  t.same(
    Members.map(({ Id, Severity, Message }) => [Id, Severity, Message]),
    [
      ['41', 'OK', 'listening; port: 443'],
      ['42', 'Warning', 'it rains; where: here; details: {"for":"hours"}'],
      ['43', 'Critical', 'it pours'],
      ['44', 'OK', 'half a li'],
      ['45', 'OK', '7']
    ]
  )
  t.match(Members[0], { Created: time, EntryType: 'Oem', OemRecordFormat: 'Vendor service log' })
})

t.test('a line that has given way, or is still to come, is 404', async (t) => {
  const show = (LogEntryId: string) => entry(context({ params: { ...params, LogEntryId }, serviceLog }))
  t.equal(show('42').Severity, 'Warning')
  for (const id of ['40', '46', '0', '042', '-1', 'x']) t.same(await refusal(() => show(id)), missing, id)
})

t.test('only those who may set up the controller read it', async (t) => {
  const caller = { role: 'ReadOnly' }
  t.same(await refusal(() => entries(context({ params, serviceLog, caller }))), forbidden)
  const given = { ...params, LogEntryId: '41' }
  t.same(await refusal(() => entry(context({ params: given, serviceLog, caller }))), forbidden)
  t.ok(service(context({ uri, params, caller })), 'that there is one is no secret')
})
