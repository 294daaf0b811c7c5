import { onEveryHost } from './every-host.ts'
import { links } from './links.ts'
import { type Json, start } from './server.ts'

const unlisted = /^#(VendorResourceDirectory|(JsonSchema|MessageRegistry)File(Collection)?|LogEntry)\./

onEveryHost(async (t, host) => {
  const server = await start(t, host)
  const read = async () => (await server.get('/redfish/v1/ResourceDirectory/')).json.Instances as Json[]

  t.test('the directory lists what a client can walk to, with the type and the tag of each', async (t) => {
    const listed = new Map((await read()).map((each) => [each['@odata.id'], each]))
    const walked = new Set(['/redfish/v1/'])
    for (const path of walked) {
      const { headers, json } = await server.get(path)
      const type = json['@odata.type']
      if (json['@odata.etag'] === undefined || unlisted.test(type)) {
        t.notOk(listed.has(path), path)
        continue
      }
      t.equal(listed.get(path)?.['@odata.type'], type, path)
      const again = await server.get(path)
      if (again.headers.etag === headers.etag) t.equal(listed.get(path)?.ETag, headers.etag, path)
      listed.delete(path)
      for (const link of links(json)) walked.add(link)
    }
    t.same([...listed.keys()], [])
    t.ok(walked.size > 200, `${walked.size} resources`)
  })

  t.test('the tag of a resource that was changed is a new one there', async (t) => {
    const system = '/redfish/v1/Systems/1/'
    const tag = async () => (await read()).find((each) => each['@odata.id'] === system)?.ETag
    const before = await tag()
    t.equal((await server.patch(system, { AssetTag: 'A-7' })).status, 200)
    t.not(await tag(), before)
    t.equal(await tag(), (await server.get(system)).headers.etag)
  })
})
