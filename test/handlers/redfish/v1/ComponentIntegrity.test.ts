import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/ComponentIntegrity.ts'
import { context } from '#test/handlers/context.ts'

const uri = '/redfish/v1/ComponentIntegrity'

t.test('each system with a trusted platform module has a member', async (t) => {
  t.same(GET(context({ uri })).Members, [{ '@odata.id': `${uri}/TPM-1/` }])
})

t.test('a system without one has none', async (t) => {
  const { board } = context().machine
  const { trustedModule, ...system } = board.systems['1']!
  t.ok(trustedModule)
  t.same(GET(context({ uri, board: { ...board, systems: { 1: system } } })).Members, [])
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
