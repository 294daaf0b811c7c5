import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Entries.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Systems/1/LogServices/SystemLog/Entries'
const params = { ComputerSystemId: '1', LogServiceId: 'SystemLog' }
const entry = {
  created: '2025-06-01T11:00:00.000Z',
  severity: 'OK',
  text: 'x',
  messageId: 'MgmtEvents.1.0.LogCleared',
  args: ['7']
} as const
const own = (number: string) => `Systems/1/SystemLog/00000000${number}`

t.test('the entries of this log are shown whole, as they were made', async (t) => {
  const logEntry = { [own('10')]: entry, [own('09')]: entry, 'Systems/10/SystemLog/0000000001': entry }
  const shown = GET(context({ uri, params, tables: { logEntry } })).Members
  t.match(shown, [
    { '@odata.id': `${uri}/9/`, Id: '9', Message: 'x', MessageId: entry.messageId, MessageArgs: ['7'] },
    { '@odata.id': `${uri}/10/`, Id: '10', Severity: 'OK', Created: entry.created, EntryType: 'Event' }
  ])
  t.equal(shown.length, 2)
})

t.test('a missing log is 404', async (t) => {
  for (const params of [
    { ComputerSystemId: '2', LogServiceId: 'SystemLog' },
    { ComputerSystemId: '1', LogServiceId: 'EventLog' }
  ])
    t.same(await refusal(() => GET(context({ params }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
