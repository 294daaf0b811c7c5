import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/AccountService/Roles.ts'
import { context } from '#test/handlers/context.ts'

t.test('there are three roles', async (t) => {
  const uri = '/redfish/v1/AccountService/Roles'
  t.same(GET(context({ uri })).Members, [
    { '@odata.id': `${uri}/Administrator/` },
    { '@odata.id': `${uri}/Operator/` },
    { '@odata.id': `${uri}/ReadOnly/` }
  ])
})

t.test('reading takes LoginPriv, and nothing can be changed', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
