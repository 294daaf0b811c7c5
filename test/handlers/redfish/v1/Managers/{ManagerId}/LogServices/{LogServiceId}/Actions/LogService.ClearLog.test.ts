import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Managers/{ManagerId}/LogServices/{LogServiceId}/Actions/LogService.ClearLog.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1', LogServiceId: 'EventLog' }
const entry = { created: '2025-06-01T11:00:00.000Z', severity: 'OK', text: 'x' } as const

t.test('a log is emptied, and the event says who did it', async (t) => {
  const logEntry = {
    'Managers/1/EventLog/0000000011': entry,
    'Managers/1/EventLog/0000000012': entry,
    'Managers/2/EventLog/0000000001': entry
  }
  const { status, writes, events } = await POST(context({ params, tables: { logEntry }, body: {} }))
  t.equal(status, 200)
  t.same(writes, {
    logEntry: { 'Managers/1/EventLog/0000000011': null, 'Managers/1/EventLog/0000000012': null }
  })
  const origin = '/redfish/v1/Managers/1/LogServices/EventLog'
  t.same(events, [{ message: { key: 'MgmtEvents.LogCleared', args: ['admin'] }, origin }])
})

t.test('an empty log is cleared too', async (t) => {
  const { writes, events } = await POST(context({ params, body: {} }))
  t.same(writes, { logEntry: {} })
  t.equal(events?.length, 1)
})

t.test('a log that is not there cannot be cleared', async (t) => {
  for (const params of [
    { ManagerId: '2', LogServiceId: 'EventLog' },
    { ManagerId: '1', LogServiceId: 'SystemLog' },
    { ManagerId: '1', LogServiceId: 'Journal' }
  ])
    t.same(await refusal(() => POST(context({ params, body: {} }))), missing)
})

t.test('it takes the privilege for the controller', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
})
