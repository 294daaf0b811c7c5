import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/AccountService/PrivilegeMap.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test('the privilege map is sent as it was built', async (t) => {
  const { type, gzip } = GET(context({ documents: { 'privileges.json': '{}' } }))
  t.equal(type, 'application/json;charset=utf-8')
  t.equal(new TextDecoder().decode(gzip), '{}')
})

t.test('a build without the privilege map has none', async (t) => {
  t.same(await refusal(() => GET(context())), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
