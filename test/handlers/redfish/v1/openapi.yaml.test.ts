import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/openapi.yaml.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

t.test('the OpenAPI document is sent as YAML, as it was built', async (t) => {
  const { type, gzip } = GET(context({ documents: { 'openapi.yaml': 'openapi: 3.1.0' } }))
  t.equal(type, 'application/yaml;charset=utf-8')
  t.equal(new TextDecoder().decode(gzip), 'openapi: 3.1.0')
})

t.test('a build without the OpenAPI document has none', async (t) => {
  t.same(await refusal(() => GET(context())), missing)
})

t.test('anybody may read the OpenAPI document', async (t) => {
  t.same(privileges, { GET: 'NoAuth' })
})
