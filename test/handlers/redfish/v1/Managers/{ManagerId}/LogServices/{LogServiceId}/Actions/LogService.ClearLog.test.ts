import t from 'tap'
import {
  POST,
  privileges
} from '../../../../../../../../../handlers/redfish/v1/Managers/{ManagerId}/LogServices/{LogServiceId}/Actions/LogService.ClearLog.ts'
import { context, missing, refusal } from '../../../../../../../context.ts'

const params = { ManagerId: '1', LogServiceId: 'EventLog' }
const entry = { created: '2025-06-01T11:00:00.000Z', severity: 'OK', text: 'x' } as const

t.test('a log is emptied but for who did it, and its numbers go on', async (t) => {
  const logEntry = {
    'Managers/1/EventLog/0000000011': entry,
    'Managers/1/EventLog/0000000012': entry,
    'Managers/2/EventLog/0000000001': entry
  }
  const { status, writes } = await POST(context({ params, tables: { logEntry }, body: {} }))
  t.equal(status, 200)
  t.same(writes, {
    logEntry: {
      'Managers/1/EventLog/0000000011': null,
      'Managers/1/EventLog/0000000012': null,
      'Managers/1/EventLog/0000000013': {
        created: '2025-06-01T12:00:00.000Z',
        severity: 'OK',
        text: 'The log was cleared by admin.'
      }
    }
  })
})

t.test('an empty log is cleared too', async (t) => {
  const { writes } = await POST(context({ params, body: {} }))
  t.same(Object.keys(writes?.logEntry ?? {}), ['Managers/1/EventLog/0000000001'])
})

t.test('a log that is not there cannot be cleared', async (t) => {
  for (const params of [
    { ManagerId: '2', LogServiceId: 'EventLog' },
    { ManagerId: '1', LogServiceId: 'SystemLog' }
  ])
    t.same(await refusal(() => POST(context({ params, body: {} }))), missing)
})

t.test('it takes the privilege for the controller', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
})
