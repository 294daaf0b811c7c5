import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/ComponentIntegrity/{ComponentIntegrityId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const member = (ComponentIntegrityId: string) => context({ params: { ComponentIntegrityId } })

t.test('a trusted platform module says whose it is', async (t) => {
  t.match(GET(member('TPM-1')), {
    ComponentIntegrityType: 'TPM',
    ComponentIntegrityTypeVersion: '2.0',
    TargetComponentURI: '/redfish/v1/Systems/1/',
    Links: { ComponentsProtected: [{ '@odata.id': '/redfish/v1/Systems/1/' }] }
  })
})

t.test('there is no other', async (t) => {
  for (const id of ['TPM-2', '1', 'TPM-', 'TPM-constructor']) t.same(await refusal(() => GET(member(id))), missing)
  const { board } = context().machine
  const { trustedModule, ...system } = board.systems['1']!
  t.ok(trustedModule)
  const without = { ...board, systems: { 1: system } }
  t.same(await refusal(() => GET(context({ params: { ComponentIntegrityId: 'TPM-1' }, board: without }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
