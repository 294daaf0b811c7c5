import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Actions/LogService.ClearLog.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ComputerSystemId: '1', LogServiceId: 'SystemLog' }
const entry = { created: '2025-06-01T11:00:00.000Z', severity: 'OK', text: 'x' } as const

t.test('a log is emptied, and the event says who did it', async (t) => {
  const logEntry = {
    'Systems/1/SystemLog/0000000011': entry,
    'Systems/1/SystemLog/0000000012': entry,
    'Systems/2/SystemLog/0000000001': entry
  }
  const { status, writes, events } = await POST(context({ params, tables: { logEntry }, body: {} }))
  t.equal(status, 200)
  t.same(writes, {
    logEntry: { 'Systems/1/SystemLog/0000000011': null, 'Systems/1/SystemLog/0000000012': null }
  })
  const origin = '/redfish/v1/Systems/1/LogServices/SystemLog'
  t.same(events, [{ message: { key: 'MgmtEvents.LogCleared', args: ['admin'] }, origin }])
})

t.test('an empty log is cleared too', async (t) => {
  const { writes, events } = await POST(context({ params, body: {} }))
  t.same(writes, { logEntry: {} })
  t.equal(events?.length, 1)
})

t.test('a log that is not there cannot be cleared', async (t) => {
  for (const params of [
    { ComputerSystemId: '2', LogServiceId: 'SystemLog' },
    { ComputerSystemId: '1', LogServiceId: 'EventLog' }
  ])
    t.same(await refusal(() => POST(context({ params, body: {} }))), missing)
})

t.test('it takes the privilege for the controller', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
})
