import t from 'tap'
import { GET, privileges } from '#handlers/redfish.ts'
import { context } from './context.ts'

t.test('the versions are version 1 alone', async (t) => {
  t.same(GET(context()), { v1: '/redfish/v1/' })
})

t.test('anybody may read the versions', async (t) => {
  t.same(privileges, { GET: 'NoAuth' })
})
