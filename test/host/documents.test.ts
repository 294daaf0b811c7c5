import { gunzipSync } from 'node:zlib'
import { onBoards } from './on-boards.ts'
import { partsOf } from './parts.ts'
import { admin, anonymous, type Server } from './server.ts'

onBoards(async (t, board) => {
  const server = await board.start(t)

  t.test('a file of a message registry is compressed JSON with every message', async (t) => {
    for (const prefix of ['Base', 'Mgmt']) {
      const { json } = await server.get(`/redfish/v1/Registries/${prefix}/`)
      const [{ Uri }] = json.Location
      const registry = JSON.parse(await compressed(server, Uri))
      t.equal(`${registry.RegistryPrefix}.${registry.RegistryVersion.split('.').slice(0, 2).join('.')}`, json.Registry)
      for (const [key, message] of Object.entries<{ Message: string; NumberOfArgs: number }>(registry.Messages)) {
        const places = new Set(message.Message.match(/%\d/g) ?? [])
        t.equal(places.size, message.NumberOfArgs, `${registry.RegistryPrefix} ${key}`)
      }
    }
  })

  t.test('a registry is found by its prefix alone', async (t) => {
    const file = JSON.parse(await compressed(server, '/redfish/v1/RegistryStore/registries/en/Base.json'))
    t.equal(file.RegistryPrefix, 'Base')
    t.equal((await server.get('/redfish/v1/registrystore/registries/en/Base.json')).status, 200)
  })

  t.test('the schema that a resource names is there, and describes its properties', async (t) => {
    for (const path of ['/redfish/v1/', ...Object.values(await partsOf(server))]) {
      const { headers, json } = await server.get(path)
      const [, uri = ''] = /^<([^>]+)>/.exec(String(headers.link)) ?? []
      const schema = JSON.parse(await compressed(server, uri))
      const type = json['@odata.type'].split('.').at(-1)
      const { properties, patternProperties } = schema.definitions[type]
      const patterns = Object.keys(patternProperties).map((each) => new RegExp(each))
      for (const name of Object.keys(json)) {
        t.ok(name in properties || patterns.some((each) => each.test(name)), `${uri} ${name}`)
      }
    }
  })

  t.test('a browser gets the page, and everybody else is sent to the service root', async (t) => {
    const page = await server.get('/', {
      accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      'accept-encoding': 'gzip'
    })
    t.equal(page.status, 200)
    t.match(page.headers, {
      'content-type': 'text/html;charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'no-cache'
    })
    const policy = String(page.headers['content-security-policy'])
    for (const each of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"]) {
      t.ok(policy.includes(each), each)
    }
    t.notMatch(policy, /unsafe|https?:|\*/)
    t.match(page.headers, {
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY'
    })
    t.notMatch(page.text, /<script(?! type="module" src="\/page\/)|<style|javascript:| on\w+=/, 'nothing stands in it')
    for (const accept of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const { status, headers } = await server.get('/', accept)
      t.equal(status, 308)
      t.equal(headers.location, '/redfish/v1/')
      t.equal(headers['set-cookie'], undefined)
    }
    const again = await server.get('/', { accept: 'text/html', 'if-none-match': String(page.headers.etag) })
    t.equal(again.status, 304)
  })

  t.test('the files of the page have names by content, and are cached without limit', async (t) => {
    const { text } = await server.get('/', { accept: 'text/html' })
    const names = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name)
    t.equal(names.length, 4)
    for (const name of names) {
      const { status, headers, text } = await server.get(name, { 'accept-encoding': 'gzip' })
      t.equal(status, 200, name)
      t.match(headers, { 'cache-control': 'public, max-age=31536000, immutable', 'content-encoding': 'gzip' })
      t.equal((await server.get(name, anonymous)).text, text, 'unpacked it is the same')
      t.match(name, /-[0-9a-f]{12}\.(js|css|svg)$/)
    }
    t.equal((await server.get('/page/main-000000000000.js', anonymous)).status, 404)
    t.equal((await server.get('/page/index.html.txt', anonymous)).status, 404)
    t.equal((await server.post('/', {}, admin)).status, 405)
  })

  t.test('every schema file of the collection is there, and names the files of others', async (t) => {
    const ids = await members(server, '/redfish/v1/schemas/')
    t.ok(ids.length >= 20, `${ids.length} schemas`)
    const locations = new Set<string>()
    const references = new Set<string>()
    for (const id of ids) {
      const { headers, json } = await server.get(id)
      const [{ Uri }] = json.Location
      t.match(Uri, /^\/redfish\/v1\/SchemaStore\/en\/[\w.]+\.json\/$/)
      t.match(headers.link, /^<\/redfish\/v1\/SchemaStore\/en\/JsonSchemaFile\.v\w+\.json\/>; rel=describedby$/)
      const schema = await compressed(server, Uri)
      t.ok(JSON.parse(schema).definitions, id)
      t.equal((await server.get(Uri.slice(0, -1))).text, schema)
      locations.add(Uri)
      for (const [, name = ''] of schema.matchAll(/"\$ref":"([^"#]+)#/g)) references.add(name)
    }
    t.ok(references.size > 10, `${references.size} references`)
    for (const name of references) t.ok(locations.has(`/redfish/v1/SchemaStore/en/${name}/`), name)
  })

  t.test('files of registries have their URI and type, and link to their description', async (t) => {
    const registries = await members(server, '/redfish/v1/Registries/')
    const files = await Promise.all(registries.map(async (id) => (await server.get(id)).json.Location[0].Uri))
    for (const path of [...files, '/redfish/v1/AccountService/PrivilegeMap/']) {
      const { headers, json } = await server.get(path)
      const [, type = '', name = ''] = /^#((\w+)\.v\w+)\.\w+$/.exec(json['@odata.type']) ?? []
      t.equal(json['@odata.context'], `/redfish/v1/$metadata#${name}.${name}`, path)
      t.equal(json['@odata.id'].replace(/\/$/, ''), path.replace(/\/$/, ''))
      t.equal(json['@odata.etag'], headers.etag)
      t.equal(headers.link, `</redfish/v1/SchemaStore/en/${type}.json/>; rel=describedby`)
      t.equal((await server.get(`/redfish/v1/SchemaStore/en/${type}.json/`)).status, 200)
      t.equal((await server.get(path.endsWith('/') ? path : `${path}/`)).status, 200)
    }
  })

  t.test('$metadata is XML and openapi.yaml is YAML, for everyone', async (t) => {
    for (const path of ['$metadata', 'openapi.yaml', 'RegistryStore/registries/en/Base.json']) {
      for (const [encoding, coding] of [
        [undefined, undefined],
        ['identity', undefined],
        ['br', undefined],
        ['gzip;q=0', undefined],
        ['br, gzip', 'gzip'],
        ['*', 'gzip']
      ] as const) {
        const headers = { ...admin, ...(encoding && { 'accept-encoding': encoding }) }
        const answer = await server.get(`/redfish/v1/${path}`, headers)
        t.equal(answer.headers['content-encoding'], coding, `${path} ${encoding}`)
        t.match(answer.text, /^(<\?xml|openapi:|\{)/)
      }
    }
    const metadata = await server.connect()
    metadata.write('GET /redfish/v1/$metadata HTTP/1.1\r\nHost: bmc\r\nConnection: close\r\n\r\n')
    const { headers, body } = (await metadata.response())!
    t.match(headers['content-type'], /^application\/xml/)
    t.match(text(headers, body), /<edmx:Edmx[\s\S]*Namespace="Chassis\.v\d+_\d+_\d+"/)
    const openapi = await server.connect()
    openapi.write('GET /redfish/v1/openapi.yaml HTTP/1.1\r\nHost: bmc\r\nConnection: close\r\n\r\n')
    const yaml = (await openapi.response())!
    t.match(text(yaml.headers, yaml.body), /^openapi: ["']?3\./m)
    t.match(text(yaml.headers, yaml.body), /\/redfish\/v1\/Chassis\/\{ChassisId\}/)
  })

  t.test('the service document lists the links of the root', async (t) => {
    const { json } = await server.get('/redfish/v1/odata', anonymous)
    t.match(json, { '@odata.context': '/redfish/v1/$metadata' })
    t.ok(json.value.some(({ url }: { url: string }) => url === '/redfish/v1/Systems/'))
  })

  t.test('an unknown file is 404', async (t) => {
    for (const path of [
      'SchemaStore/en/Nothing.json',
      'RegistryStore/registries/en/Nothing.json',
      'schemas/Nothing/'
    ]) {
      t.equal((await server.get(`/redfish/v1/${path}`)).status, 404, path)
    }
  })
})

/** The ids of a collection's members. */
async function members(server: Server, path: string): Promise<string[]> {
  const { json } = await server.get(path)
  return json.Members.map((member: { '@odata.id': string }) => member['@odata.id'])
}

/** A file that has to come compressed, as it is stored. */
async function compressed(server: Server, path: string): Promise<string> {
  const client = await server.connect()
  client.write(
    `GET ${path} HTTP/1.1\r\nHost: bmc\r\nAuthorization: ${admin.authorization}\r\nAccept-Encoding: gzip\r\n` +
      'Connection: close\r\n\r\n'
  )
  const answer = await client.response()
  if (answer?.headers['content-encoding'] !== 'gzip') throw new Error(`${path}: ${answer?.status}, not gzip`)
  return gunzipSync(answer.body).toString()
}

function text(headers: Readonly<Record<string, string>>, body: Buffer): string {
  return (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString()
}
