import t from 'tap'
import { GET, privileges } from '../../../../../handlers/redfish/v1/TaskService/Tasks.ts'
import { context } from '../../../context.ts'

t.test('there are no tasks', async (t) => {
  t.same(GET(context({ uri: '/redfish/v1/TaskService/Tasks' })).Members, [])
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
