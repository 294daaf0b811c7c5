import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/$metadata.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test('the metadata document is sent as XML, as it was built', async (t) => {
  const { type, gzip } = GET(context({ documents: { $metadata: '<edmx/>' } }))
  t.equal(type, 'application/xml;charset=utf-8')
  t.equal(new TextDecoder().decode(gzip), '<edmx/>')
})

t.test('a build without the metadata document has none', async (t) => {
  t.same(await refusal(() => GET(context())), missing)
})

t.test('anybody may read the metadata document', async (t) => {
  t.same(privileges, { GET: 'NoAuth' })
})
