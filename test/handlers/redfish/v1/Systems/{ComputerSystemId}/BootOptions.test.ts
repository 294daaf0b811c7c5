import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/BootOptions.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test('the collection names the boot options by their references', async (t) => {
  const uri = '/redfish/v1/Systems/1/BootOptions'
  const { Members } = GET(context({ uri, params: { ComputerSystemId: '1' } }))
  t.equal(Members.length, 11)
  t.same(Members[0], { '@odata.id': `${uri}/Boot0000/` })
})

t.test('there are no boot options where there is no system', async (t) => {
  t.same(await refusal(() => GET(context({ params: { ComputerSystemId: '2' } }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
