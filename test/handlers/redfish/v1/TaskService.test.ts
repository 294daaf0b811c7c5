import t from 'tap'
import { GET as get, privileges, schema } from '#handlers/redfish/v1/TaskService.ts'
import { completed, context } from '#test/handlers/context.ts'

const GET = completed(schema, get)

t.test('the task service shows the time and links its tasks', async (t) => {
  t.match(GET(context({ uri: '/redfish/v1/TaskService' })), {
    DateTime: '2025-06-01T12:00:00.000Z',
    ServiceEnabled: true,
    Tasks: { '@odata.id': '/redfish/v1/TaskService/Tasks/' }
  })
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
