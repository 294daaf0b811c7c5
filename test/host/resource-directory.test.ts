import { links } from './links.ts'
import { onBoards } from './on-boards.ts'
import { partsOf } from './parts.ts'
import type { Json, Server } from './server.ts'

const unlisted =
  /^#(VendorResourceDirectory|(JsonSchema|MessageRegistry)File(Collection)?|PrivilegeRegistry|LogEntry)\./

onBoards(async (t, board) => {
  const server = await board.start(t)
  const read = async () => (await server.get('/redfish/v1/ResourceDirectory/')).json.Instances as Json[]

  t.test('the directory lists every linked resource, with its type and tag', async (t) => {
    const before = await walk(server)
    const listed = new Map((await read()).map((each) => [each['@odata.id'], each]))
    const after = await walk(server)
    t.same([...listed.keys()].sort(), [...after.keys()].sort())
    for (const [path, { type, tag }] of after) {
      t.equal(listed.get(path)?.['@odata.type'], type, path)
      if (before.get(path)?.tag === tag) t.equal(listed.get(path)?.ETag, tag, path)
    }
    t.ok(after.size > 200, `${after.size} resources`)
  })

  t.test('the tag of a resource that was changed is a new one there', async (t) => {
    const { system } = await partsOf(server)
    const tag = async () => (await read()).find((each) => each['@odata.id'] === system)?.ETag
    const before = await tag()
    t.equal((await server.patch(system, { AssetTag: 'A-7' })).status, 200)
    t.not(await tag(), before)
    t.equal(await tag(), (await server.get(system)).headers.etag)
  })
})

/** The types and tags of all resources that links lead to from the service root, but of those that are not listed. */
async function walk(server: Server): Promise<Map<string, { type: string; tag: string }>> {
  const found = new Map<string, { type: string; tag: string }>()
  const paths = new Set(['/redfish/v1/'])
  for (const path of paths) {
    const { json } = await server.get(path)
    const tag = json['@odata.etag']
    if (tag === undefined || unlisted.test(json['@odata.type'])) continue
    found.set(path, { type: json['@odata.type'], tag })
    for (const link of [...links(json), ...actionInfos(json)]) paths.add(link)
  }
  return found
}

/** Where the actions of a resource are described. */
function actionInfos(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries<Json>(value).flatMap(([name, each]) =>
    name === '@Redfish.ActionInfo' ? [each] : actionInfos(each)
  )
}
