import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/TaskService/Tasks.ts'
import { context } from '#test/handlers/context.ts'

const uri = '/redfish/v1/TaskService/Tasks'

t.test('the tasks are those that are kept', async (t) => {
  t.same(GET(context({ uri })).Members, [])
  t.same(GET(context({ uri, tables: { task: { a1: {} } } })).Members, [{ '@odata.id': `${uri}/a1/` }])
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
