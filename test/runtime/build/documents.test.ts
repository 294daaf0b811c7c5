import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { handlers } from '#generated'
import { openDocuments } from '#runtime/store/documents.ts'
import { needing } from '#test/host/every-host.ts'
import { isInstalled } from '#test/host/hosts.ts'

const from = async (name: string) => await import(pathToFileURL(`runtime/build/${name}.mjs`).href)
const { documents, someDocuments } = await from('documents')
const { metadata, vendorSchemas } = await from('metadata')
const { openapi } = await from('openapi')
const { registryFiles } = await from('registries')
const { schemaFiles } = await from('schemas')
const { collectTypes } = await from('types')

type Json = { readonly [name: string]: Json }
type File = { readonly name: string; readonly text: string }

const registries = readdirSync('registries')
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(`registries/${name}`, 'utf8')))
const attributeRegistries = readdirSync('registries/bios').map((name) =>
  JSON.parse(readFileSync(`registries/bios/${name}`, 'utf8'))
)

t.test('an archive of some files of another one has these as they were', async (t) => {
  const files = ['a', 'b', 'c'].map((name) => ({ name, text: `{"@odata.id":"/${name}"}` }))
  const all = openDocuments(documents(files))
  const some = openDocuments(someDocuments(documents(files), (name: string) => name !== 'b'))
  t.same(some.names, ['a', 'c'])
  for (const name of some.names) t.same(some.get(name), all.get(name))
})

t.test('an archive returns its files, in its own memory', async (t) => {
  const files = [
    { name: '$metadata', text: '<é/>' },
    { name: 'empty', text: '' },
    { name: 'schemas/A.v1_0_0.json', text: '{}' }
  ]
  const packed: Buffer = documents(files)
  const bytes = new Uint8Array(packed.length + 3)
  bytes.set(packed, 3)
  const archive = openDocuments(bytes.subarray(3))
  t.same(
    archive.names,
    files.map(({ name }) => name)
  )
  for (const { name, text } of files) {
    const file = archive.get(name)
    t.equal(gunzipSync(file?.gzip ?? '').toString(), text, name)
    t.equal(file?.gzip.buffer, bytes.buffer)
  }
  t.equal(archive.get('other'), undefined)
  t.equal(archive.get('constructor'), undefined)
})

t.test('a file that is a resource shows its entity tag, which moves with the text', async (t) => {
  const shown = (text: string) => {
    const file = openDocuments(documents([{ name: 'a', text }])).get('a')
    t.match(file?.tag, /^W\/"[0-9a-f]{16}"$/)
    return { tag: file?.tag, text: gunzipSync(file?.gzip ?? '').toString() }
  }
  const resource = { '@odata.id': '/a', Name: 'a' }
  const { tag, text } = shown(JSON.stringify(resource))
  t.same(JSON.parse(text), { '@odata.etag': tag, ...resource })
  t.not(shown(JSON.stringify({ ...resource, Name: 'b' })).tag, tag)
  t.equal(shown('{"$id":"a"}').text, '{"$id":"a"}')
})

t.test('the same files make the same archive', async (t) => {
  const files = [{ name: 'a', text: 'x' }]
  t.same(documents(files), documents(files))
})

t.test('an archive that is cut short, or longer than it says, is refused', async (t) => {
  const bytes: Buffer = documents([{ name: 'a', text: 'x'.repeat(100) }])
  t.throws(() => openDocuments(bytes.subarray(0, -1)), RangeError)
  t.throws(() => openDocuments(bytes.subarray(0, 10)), RangeError)
  t.throws(() => openDocuments(bytes.subarray(0, 3)), RangeError)
  t.throws(() => openDocuments(new Uint8Array()), RangeError)
  t.throws(() => openDocuments(Buffer.concat([bytes, Buffer.from('x')])), RangeError)
  t.same(openDocuments(documents([])).names, [])
})

/** The titles in a schema and in what it holds. */
function titles(schema: object): string[] {
  return [...JSON.stringify(schema).matchAll(/"title":"(#[^"]+)"/g)].map(([, title]) => title as string)
}

const served = [...new Set(handlers.flatMap(({ module }) => titles(module.schema ?? {})))]

t.test('every type that is served has a schema file, named by its type and version', async (t) => {
  const names = (schemaFiles(handlers) as File[]).map(({ name }) => name)
  t.ok(served.length > 20)
  for (const title of served) {
    const namespace = title.slice(1, title.lastIndexOf('.'))
    t.ok(names.includes(`schemas/${namespace}.json`), title)
  }
  t.equal(new Set(names).size, names.length)
})

t.test('references between schema files lead to definitions', async (t) => {
  const lost: string[] = []
  const files = new Map((schemaFiles(handlers) as File[]).map(({ name, text }) => [name, JSON.parse(text)]))
  for (const [name, file] of files) {
    t.equal(file.$id, `/redfish/v1/SchemaStore/en/${name.slice('schemas/'.length)}`)
    for (const [, uri] of JSON.stringify(file).matchAll(/"\$ref":"([^"]+)"/g)) {
      const [path = '', pointer = ''] = (uri as string).split('#')
      const target = path === '' ? file : files.get(`schemas/${path}`)
      if (!target?.definitions[pointer.replace('/definitions/', '')]) lost.push(`${name}: ${uri}`)
    }
  }
  t.same(lost, [])
})

const rack = {
  title: '#Rack.v1_2_3.Rack',
  type: 'object',
  required: ['@odata.id', 'Id'],
  properties: {
    '@odata.id': { type: 'string', readonly: true },
    Id: { type: 'string' },
    Tag: { type: 'string', nullable: true, readonly: false, maxLength: 9 },
    Mode: { type: 'string', enum: ['A', 'No'], nullable: true },
    Kind: { type: 'string' },
    Odd: { type: 'string', enum: ['1 m', '2 m'] },
    Up: { type: 'object', properties: { Mode: { type: 'string', enum: ['C'] } } },
    Units: { type: 'array', items: { type: 'integer' } },
    Chassis: { type: 'object', properties: { '@odata.id': { type: 'string' } } },
    Free: { type: 'object', properties: {}, additionalProperties: { type: ['string', 'null'] } },
    Oem: {
      type: 'object',
      properties: { Maker: { title: '#MakerRack.v1_0_0.MakerRack', type: 'object', properties: {} } }
    }
  }
}

/** A small service: two handler files of one type, an action, and a vendor's type. */
const routes = [
  {
    template: '/redfish/v1/Racks/{RackId}',
    module: {
      privileges: { GET: 'LoginPriv', PATCH: ['UserConfigPriv', 'ConfigureSelf'], DELETE: { all: ['A', 'HostX'] } },
      schema: rack
    }
  },
  {
    template: '/redfish/v1/Racks/{RackId}/Actions/Oem/Maker/Rack.Turn',
    module: {
      privileges: { POST: { all: ['VirtualPowerAndResetPriv', 'SystemRecoveryConfigPriv'] } },
      body: { type: 'object', required: ['Angle'], properties: { Angle: { type: 'number' } } }
    }
  },
  {
    template: '/redfish/v1/Shed',
    module: {
      privileges: { GET: 'NoAuth', POST: 'MgmtConfigPriv' },
      body: { type: 'object', properties: { Name: { type: 'string' } } },
      schema: rack
    }
  },
  { template: '/redfish/v1/File', module: { privileges: { GET: 'LoginPriv' } } }
]

t.test('a schema file declares writable and nullable properties, and the parameters of actions', async (t) => {
  const files: File[] = schemaFiles(routes)
  const file = JSON.parse(files.find(({ name }) => name === 'schemas/Rack.v1_2_3.json')?.text ?? '')
  t.match(file, { title: '#Rack.v1_2_3.Rack', $ref: '#/definitions/Rack' })
  t.match(file.definitions.Rack, {
    properties: {
      Id: { type: 'string', readonly: true },
      Tag: { type: ['string', 'null'], readonly: false, maxLength: 9 },
      Mode: { type: ['string', 'null'], enum: ['A', 'No', null] },
      Units: { type: 'array', items: { type: 'integer' } },
      Kind: { type: 'string', enum: undefined },
      Free: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
      Oem: {
        properties: {
          Maker: { $ref: 'MakerRack.v1_0_0.json#/definitions/MakerRack' }
        }
      }
    },
    additionalProperties: false
  })
  t.match(file.definitions.Turn.parameters, { Angle: { type: 'number', requiredParameter: true } })
})

const elements = (xml: string) =>
  [...xml.matchAll(/<(\w+:?\w*)((?:\s+[\w:]+="[^"<]*")*)\s*\/?>/g)].map(([, tag, text = '']) => ({
    tag,
    ...Object.fromEntries([...text.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]))
  })) as { readonly [attribute: string]: string | undefined }[]

/** The qualified names of what a CSDL document defines, each as often as it does. */
function definitions(xml: string): string[] {
  let space = ''
  return elements(xml).flatMap(({ tag, Namespace, Name }) => {
    if (tag === 'Schema') space = Namespace ?? ''
    return ['EntityType', 'ComplexType', 'EnumType'].includes(tag ?? '') ? [`${space}.${Name}`] : []
  })
}

const csdl = (of: typeof handlers | typeof routes, vendor: string): string => vendorSchemas(of, vendor).text

/** The namespaces that a document includes from other files, with these. */
const includes = (xml: string) =>
  [...xml.matchAll(/<edmx:Reference Uri="([^"]+)">([\s\S]*?)<\/edmx:Reference>/g)].flatMap(([, uri, inner = '']) =>
    [...inner.matchAll(/Namespace="([^"]+)"/g)].map(([, name = '']) => [name, uri] as const)
  )

t.test(
  '$metadata leads to the types: the service first, the standard in its own files, the vendor in a served one',
  async (t) => {
    for (const [about, of, vendor] of [
      ['the service', handlers, 'Vendor'],
      ['the small one', routes, 'Maker']
    ] as const) {
      const xml: string = metadata(of, vendor)
      t.match(
        xml,
        /<edmx:DataServices>\s*<Schema [^>]*Namespace="Service">\s*<EntityContainer Name="Service" Extends="/
      )
      const found = new Map(includes(xml))
      t.equal(found.get('RedfishExtensions.v1_0_0'), 'http://redfish.dmtf.org/schemas/v1/RedfishExtensions_v1.xml')
      for (const { namespace, name } of collectTypes(of)) {
        const own = `/redfish/v1/SchemaStore/en/${vendor}Extensions_v1.xml`
        const folder = name.startsWith('Volume') ? 'swordfish/v1' : 'v1'
        const standard = `http://redfish.dmtf.org/schemas/${folder}/${namespace.split('.')[0]}_v1.xml`
        t.equal(found.get(namespace), namespace.startsWith(vendor) ? own : standard, `${about}: ${namespace}`)
      }
      const defined = new Set(
        [...csdl(of, vendor).matchAll(/<Schema [^>]*Namespace="([^"]+)"/g)].map(([, each]) => each)
      )
      for (const [name, uri] of found) if (uri?.startsWith('/')) t.ok(defined.has(name), `${about}: ${name}`)
    }
  }
)

t.test('the file of the vendor defines each type once, and all that it refers to', async (t) => {
  const xml = csdl(handlers, 'Vendor')
  const defined = definitions(xml)
  t.equal(new Set(defined).size, defined.length, 'no type twice')
  const found = new Map(includes(xml))
  const lost: string[] = []
  for (const { Type, BaseType, String: text, Property } of elements(xml)) {
    const name = (Type ?? BaseType ?? (Property === 'Type' ? text : undefined))?.replace(/^Collection\((.+)\)$/, '$1')
    if (name === undefined || name.startsWith('Edm.')) continue
    if (!defined.includes(name) && !found.has(name.slice(0, name.lastIndexOf('.')))) lost.push(name)
  }
  t.same(lost, [])
  for (const title of served.filter((each) => each.startsWith('#Vendor'))) t.ok(defined.includes(title.slice(1)), title)
  const actions = handlers.flatMap(
    ({ template }) => /\/Oem\/Vendor\/(Vendor\w+)\.(\w+)$/.exec(template)?.slice(1) ?? []
  )
  t.ok(actions.length > 20)
  for (const [index, name] of actions.entries()) {
    if (index % 2 === 0) t.ok(xml.includes(`<Action Name="${actions[index + 1]}" IsBound="true">`), name)
  }
})

t.test("the vendor's file describes its properties", async (t) => {
  const xml = csdl(routes, 'Rack')
  const of = (name: string) => elements(xml).find(({ tag, Name }) => /Property$/.test(tag ?? '') && Name === name)
  t.match(of('Tag'), { tag: 'Property', Type: 'Edm.String', Nullable: undefined })
  t.match(of('Kind'), { Type: 'Edm.String' })
  t.match(of('Odd'), { Type: 'Edm.String' })
  t.match(of('Units'), { Type: 'Collection(Edm.Int64)' })
  t.match(of('Chassis'), { tag: 'NavigationProperty', Type: 'Resource.ItemOrCollection' })
  const modes = elements(xml).filter(({ tag, Name }) => tag === 'Property' && Name === 'Mode')
  t.equal(new Set(modes.map(({ Type }) => Type)).size, 2, 'two enumerations of one name are two types')
  t.match(of('Free'), { Type: 'Rack.v1_2_3.Free' })
  t.notOk(of('Id'), 'what every resource has is inherited')
  t.match(xml, /<EntityType Name="Rack" BaseType="Resource.v1_0_0.Resource" Abstract="true">/)
  t.match(xml, /<EntityType Name="Rack" BaseType="Rack.Rack">/)
  t.match(xml, /"Deletable" Bool="true"/)
  t.match(csdl(routes, 'Maker'), /<ComplexType Name="MakerRack" BaseType="Resource.OemObject">/)
  t.match(
    xml,
    /<ComplexType Name="Free">\n<Annotation Term="OData.AdditionalProperties" Bool="true"\/>\n<Annotation Term="Redfish.DynamicPropertyPatterns">/
  )
  t.match(xml, /<Property Name="Tag"[\s\S]*?Permission\/ReadWrite/)
  t.match(
    xml,
    /<Action Name="Turn" IsBound="true">\n<Parameter Name="Rack" Type="Rack.v1_2_3.Rack"\/>\n<Parameter Name="Angle" Type="Edm.Decimal" Nullable="false"\/>/
  )
})

const python = isInstalled('python3') ? undefined : 'python3: not here; install it'

needing('a parser of XML takes $metadata and what it leads to', python, async (t) => {
  const script = `import sys, json, xml.etree.ElementTree as tree
edm = '{http://docs.oasis-open.org/odata/ns/edm}'
root = tree.fromstring(sys.stdin.buffer.read())
print(json.dumps([s.get('Namespace') + '.' + e.get('Name') for s in root.iter(edm + 'Schema') for e in s
  if e.tag in (edm + 'EntityType', edm + 'ComplexType')]))`
  const parse = (input: string): string[] => {
    const { stdout, stderr } = spawnSync('python3', ['-c', script], { input })
    t.equal(stderr.toString(), '')
    return JSON.parse(stdout.toString())
  }
  t.same(parse(metadata(handlers, 'Vendor')), [])
  const names = parse(csdl(handlers, 'Vendor'))
  for (const title of served.filter((each) => each.startsWith('#Vendor'))) t.ok(names.includes(title.slice(1)), title)
})

t.test('the OpenAPI document has every URI with its methods, and its references resolve', async (t) => {
  const text: string = openapi(handlers, { version: '1.2.3' })
  const lines = text.split('\n')
  for (const { template, module } of handlers) {
    const start = Math.max(lines.indexOf(`  ${template}:`), lines.indexOf(`  ${JSON.stringify(template)}:`))
    t.ok(start > 0, template)
    const end = lines.findIndex((line, index) => index > start && /^ {0,2}\S/.test(line))
    const methods = lines
      .slice(start, end)
      .flatMap((line) => /^ {4}(get|patch|post|put|delete):$/.exec(line)?.[1] ?? [])
    t.same(
      methods.sort(),
      Object.keys(module.privileges)
        .map((each) => each.toLowerCase())
        .sort(),
      template
    )
  }
  const schemas = new Set(lines.slice(lines.indexOf('  schemas:')))
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    t.ok(schemas.has(`    ${name}:`), String(name))
  }
})

const yaml =
  spawnSync('python3', ['-c', 'import yaml']).status === 0 ? undefined : 'PyYAML: not here; install python3-yaml'

needing('a parser of YAML takes the OpenAPI document', yaml, async (t) => {
  const script = 'import sys, json, yaml; print(json.dumps(yaml.safe_load(sys.stdin.buffer.read())))'
  const { stdout, stderr } = spawnSync('python3', ['-c', script], {
    input: openapi(routes, { version: '1.2.3' }),
    maxBuffer: 1e8
  })
  t.equal(stderr.toString(), '')
  const document = JSON.parse(stdout.toString())
  t.match(document, { openapi: /^3\.1/, info: { version: '1.2.3' } })
  t.match(document.paths['/redfish/v1/Racks/{RackId}'], {
    parameters: [{ name: 'RackId', in: 'path', required: true }],
    get: { responses: { 200: { content: { 'application/json': {} } } } },
    patch: { requestBody: { content: {} }, responses: { 200: {} } }
  })
  const turn = document.paths['/redfish/v1/Racks/{RackId}/Actions/Oem/Maker/Rack.Turn'].post
  t.match(turn.requestBody.content['application/json'].schema, {
    required: ['Angle'],
    properties: { Angle: { type: 'number' } }
  })
  const shed = document.paths['/redfish/v1/Shed']
  t.same(shed.get.security, [])
  t.match(shed.post, { responses: { 201: { headers: { Location: {} } } } })
  t.notOk('security' in shed.post)
  t.same(document.components.schemas['Rack.v1_2_3.Rack'].properties.Mode, {
    type: ['string', 'null'],
    enum: ['A', 'No', null],
    readOnly: true
  })
})

t.test('registry files are named by prefix and version', async (t) => {
  const files: File[] = registryFiles(routes, registries, attributeRegistries)
  for (const registry of registries) {
    const name = `registries/${registry.RegistryPrefix}.${registry.RegistryVersion}.json`
    t.same(JSON.parse(files.find((each) => each.name === name)?.text ?? ''), {
      '@odata.context': '/redfish/v1/$metadata#MessageRegistry.MessageRegistry',
      '@odata.id': `/redfish/v1/RegistryStore/registries/en/${registry.RegistryPrefix}.json`,
      ...registry
    })
  }
})

t.test('the privilege registry has the requirement of each operation, in either kind of privileges', async (t) => {
  const files: File[] = registryFiles(routes, registries, attributeRegistries)
  const map = JSON.parse(files.find(({ name }) => name === 'privileges.json')?.text ?? '')
  const either = (...sets: string[][]) => sets.map((Privilege) => ({ Privilege }))
  const login = either(['Login'], ['LoginPriv'])
  const both = ['VirtualPowerAndResetPriv', 'SystemRecoveryConfigPriv']
  t.same(map.Mappings, [
    {
      Entity: 'Rack',
      OperationMap: {
        GET: login,
        HEAD: login,
        PATCH: either(['ConfigureUsers'], ['UserConfigPriv'], ['ConfigureSelf']),
        DELETE: either(['ConfigureManager', 'ConfigureComponents'], ['A', 'HostX'])
      },
      ResourceURIOverrides: [
        {
          Targets: ['/redfish/v1/Racks/{RackId}/Actions/Oem/Maker/Rack.Turn'],
          OperationMap: { POST: either(['ConfigureComponents', 'SystemRecoveryConfigPriv'], both) }
        },
        {
          Targets: ['/redfish/v1/Shed'],
          OperationMap: {
            GET: [{ Privilege: ['NoAuth'] }],
            HEAD: [{ Privilege: ['NoAuth'] }],
            POST: either(['ConfigureManager'], ['MgmtConfigPriv'])
          }
        }
      ]
    }
  ])
  t.same(map.PrivilegesUsed, ['ConfigureComponents', 'ConfigureManager', 'ConfigureSelf', 'ConfigureUsers', 'Login'])
  t.same(map.OEMPrivilegesUsed, [
    'A',
    'HostX',
    'LoginPriv',
    'MgmtConfigPriv',
    'SystemRecoveryConfigPriv',
    'UserConfigPriv',
    'VirtualPowerAndResetPriv'
  ])
})

t.test('the registries keep to their own schemas', async (t) => {
  const files: File[] = registryFiles(handlers, registries, attributeRegistries)
  for (const [name, type] of [
    ['privileges.json', 'PrivilegeRegistry'],
    [`registries/${attributeRegistries[0].Id}.json`, 'AttributeRegistry'],
    [files[0]?.name, 'MessageRegistry']
  ]) {
    const document = JSON.parse(files.find((each) => each.name === name)?.text ?? '')
    const found = (collectTypes([]) as { name: string; schema: Json }[]).find((each) => each.name === type)
    for (const member of Object.keys(document)) t.ok(member in (found?.schema.properties ?? {}), `${name} ${member}`)
    t.equal(document['@odata.type'], found?.schema.title)
    t.equal(document['@odata.context'], `/redfish/v1/$metadata#${type}.${type}`)
  }
})
