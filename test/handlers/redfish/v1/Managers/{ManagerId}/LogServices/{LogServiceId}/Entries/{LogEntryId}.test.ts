import t from 'tap'
import {
  GET,
  privileges
} from '#handlers/redfish/v1/Managers/{ManagerId}/LogServices/{LogServiceId}/Entries/{LogEntryId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const entry = {
  created: '2025-06-01T11:00:00.000Z',
  severity: 'Warning',
  text: 'It rains for 3 hours.',
  messageId: 'Weather.1.0.Rain',
  args: ['3']
} as const
const tables = { logEntry: { 'Managers/1/EventLog/0000000012': entry } }
const show = (LogEntryId: string, other = {}) =>
  GET(context({ params: { ManagerId: '1', LogServiceId: 'EventLog', LogEntryId, ...other }, tables }))

t.test('an entry has a time, a severity and a message', async (t) => {
  t.match(show('12'), {
    Created: '2025-06-01T11:00:00.000Z',
    EntryType: 'Event',
    Message: 'It rains for 3 hours.',
    MessageArgs: ['3'],
    MessageId: 'Weather.1.0.Rain',
    Severity: 'Warning'
  })
})

t.test('there is no other, nor another way to write its number', async (t) => {
  for (const id of ['13', '0', '012', '0000000012', '1e1', 'constructor', '99999999999']) {
    t.same(await refusal(() => show(id)), missing, id)
  }
  t.same(await refusal(() => show('12', { LogServiceId: 'SystemLog' })), missing)
  t.same(await refusal(() => show('12', { ManagerId: '2' })), missing)
})

t.test('reading takes LoginPriv, and removing the privilege for the controller', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', DELETE: 'MgmtConfigPriv' })
})
