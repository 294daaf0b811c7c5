import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { Ajv } from 'ajv'
import t from 'tap'
import { handlers } from '#generated'
import { type Documents, openDocuments } from '../../runtime/documents.ts'
import { type Fixture, openFixture, password } from '../runtime/service.ts'

interface Visit {
  readonly uri: string
  // biome-ignore lint/suspicious/noExplicitAny: what a client parses
  readonly body: any
}

let service: Fixture
let documents: Documents
const visits: Visit[] = []

t.before(async () => {
  service = await openFixture()
  documents = openDocuments(readFileSync('dist/documents.bin'))
  await service.ask('POST', '/redfish/v1/SessionService/Sessions/', { UserName: 'admin', Password: password })
})
t.teardown(() => service.close())

const text = (name: string) => gunzipSync(documents.get(name) ?? new Uint8Array()).toString()

/** Every value under a key anywhere in a body. */
function collect(body: unknown, key: string): string[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([name, value]) =>
    name === key && typeof value === 'string' ? [value] : collect(value, key)
  )
}

t.test('every link from the service root leads somewhere', async (t) => {
  const known = new Set(['/redfish/v1/'])
  for (const uri of known) {
    const said = await service.ask('GET', uri)
    t.equal(said.status, 200, uri)
    if (said.headers['content-encoding'] === 'gzip') continue
    visits.push({ uri, body: said.json })
    for (const name of ['@odata.id', 'Uri']) {
      for (const link of collect(said.json, name)) known.add(link.replace(/#.*$/, ''))
    }
  }
  t.ok(visits.length > 40, `${visits.length} resources`)
})

t.test('every resource says where it is, in its canonical form', async (t) => {
  for (const { uri, body } of visits) t.equal(body['@odata.id'], uri)
})

t.test('every body meets the schema that is published for its type', async (t) => {
  const ajv = new Ajv({ strict: false, validateFormats: false, allowUnionTypes: true })
  for (const name of documents.names.filter((each) => each.startsWith('schemas/'))) {
    const { $schema, ...schema } = JSON.parse(text(name))
    t.type($schema, 'string', name)
    ajv.addSchema(schema)
  }
  for (const { uri, body } of visits) {
    const type: string = body['@odata.type']
    const file = `/redfish/v1/SchemaStore/en/${type.slice(1, type.lastIndexOf('.'))}.json`
    const check = ajv.getSchema(file)
    t.ok(check, `${type} of ${uri} is published`)
    t.ok(check?.(body), `${uri}: ${ajv.errorsText(check?.errors)}`)
  }
})

t.test('every type that is served is in $metadata, and its schema file is linked', async (t) => {
  const metadata = text('$metadata')
  const types = new Set(visits.flatMap(({ body }) => collect(body, '@odata.type')))
  t.ok(types.size > 20)
  for (const type of types) {
    const [namespace = ''] = type.slice(1).split(/\.(?=[^.]+$)/)
    t.ok(metadata.includes(`Namespace="${namespace}"`), type)
    t.ok(documents.get(`schemas/${namespace}.json`), `${type} has a file`)
    t.equal((await service.ask('GET', `/redfish/v1/schemas/${namespace}/`)).status, 200, `${type} is listed`)
  }
})

t.test('every action that is offered is served, and takes only POST', async (t) => {
  const targets = visits.flatMap(({ body }) => collect(body, 'target'))
  t.ok(targets.length > 3)
  for (const target of targets) {
    const said = await service.ask('GET', target)
    t.equal(said.status, 405, target)
    t.equal(said.headers.allow, 'POST', target)
  }
})

t.test('every handler says what each of its methods needs', async (t) => {
  for (const { template, module } of handlers) {
    const methods = ['GET', 'PATCH', 'POST', 'PUT', 'DELETE'].filter((method) => method in module)
    t.same(Object.keys(module.privileges).sort(), methods.sort(), template)
  }
})

t.test('every message id in a source exists in a registry, and texts and arguments agree', async (t) => {
  const registries = readdirSync('registries')
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(`registries/${name}`, 'utf8')))
  t.ok(registries.length >= 2)
  for (const { RegistryPrefix, Messages } of registries) {
    for (const [key, { Message, NumberOfArgs, ParamTypes, Severity, MessageSeverity }] of Object.entries<never>(
      Messages
    )) {
      const name = `${RegistryPrefix}.${key}`
      const places = new Set(String(Message).match(/%\d/g))
      t.equal(places.size, NumberOfArgs, `${name} has as many places as arguments`)
      t.equal((ParamTypes as string[] | undefined)?.length ?? 0, NumberOfArgs, `${name} has as many types as arguments`)
      t.ok(['OK', 'Warning', 'Critical'].includes(Severity) && Severity === MessageSeverity, `${name} has a severity`)
    }
  }
})
