import { Ajv } from 'ajv'
import type { Test } from 'tap'
import { Authority, licenseKey } from './authority.ts'
import { onBoards } from './on-boards.ts'
import { partsOf } from './parts.ts'
import type { Headers, Json, Server } from './server.ts'

/** Every value that a body has under a name, or under one that a pattern matches, wherever it stands. */
function* all(body: Json, name: string | RegExp): Generator<{ name: string; value: Json; within: Json }> {
  if (typeof body !== 'object' || body === null) return
  for (const [each, value] of Object.entries<Json>(body)) {
    if (typeof name === 'string' ? each === name : name.test(each)) yield { name: each, value, within: body }
    yield* all(value, name)
  }
}

/** The paths in a body that lead on: everything that looks like a path, but the targets of actions and texts. */
function* linksOf(body: Json, name = ''): Generator<string> {
  if (
    /^(target|Targets|ServerSentEventUri|ConsoleURI|StreamURI|HttpPushUri|MultipartHttpPushUri|MessageArgs|@odata\.context)$/.test(
      name
    )
  )
    return
  if (typeof body === 'string' && /^\/redfish\/v1\/[^{}]*$/.test(body)) yield body
  if (typeof body !== 'object' || body === null) return
  for (const [each, value] of Object.entries<Json>(body)) yield* linksOf(value, Array.isArray(body) ? name : each)
}

/** The part of a body that a JSON pointer names (RFC 6901). */
function part(body: Json, pointer: string): Json {
  const steps = pointer.split('/').slice(1)
  return steps.reduce((at, step) => at?.[step.replaceAll('~1', '/').replaceAll('~0', '~')], body)
}

interface Type {
  readonly base: string | undefined
  readonly action: boolean
  /** The types of its members by their names. */
  readonly members: ReadonlyMap<string, string>
  readonly values: readonly string[]
  /** Of members beyond these: what their names match, and their type. */
  readonly patterns: readonly (readonly [RegExp, string])[]
}

/** The types of a CSDL file by their qualified names. */
function typesOf(csdl: string): ReadonlyMap<string, Type> {
  const types = new Map<string, Type>()
  const attribute = (text: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(text)?.[1]
  for (const [, space, content = ''] of csdl.matchAll(/<Schema [^>]*Namespace="([^"]+)">([\s\S]*?)<\/Schema>/g)) {
    const kinds = /<(EntityType|ComplexType|EnumType|Action)( [^>]*?)(?:\/>|>([\s\S]*?)<\/\1>)/g
    for (const [, kind, head = '', inner = ''] of content.matchAll(kinds)) {
      types.set(`${space}.${attribute(head, 'Name')}`, {
        base: attribute(head, 'BaseType'),
        action: kind === 'Action',
        members: new Map(
          [...inner.matchAll(/<(?:Navigation)?Property Name="([^"]+)" Type="([^"]+)"/g)].map(
            ([, ...pair]) => pair
          ) as []
        ),
        values: [...inner.matchAll(/<Member Name="([^"]+)"/g)].map(([, name = '']) => name),
        patterns: [
          ...inner.matchAll(/"Pattern" String="([^"]+)"\/><PropertyValue Property="Type" String="([^"]+)"/g)
        ].map(([, pattern = '', type = '']) => [new RegExp(pattern), type] as const)
      })
    }
  }
  return types
}

const inherited = new Set(['Id', 'Name', 'Description', 'Oem'])

/** The paths in a value of what its type does not declare, or declares otherwise. */
function strangers(types: ReadonlyMap<string, Type>, name: string, value: Json, path = name): string[] {
  const element = /^Collection\((.+)\)$/.exec(name)?.[1]
  if (element !== undefined)
    return Array.isArray(value)
      ? value.flatMap((each, index) => strangers(types, element, each, `${path}/${index}`))
      : [path]
  if (value === null) return []
  if (name.startsWith('Edm.')) return typeof value === 'object' ? [path] : []
  if (name === 'Resource.Item') return typeof value['@odata.id'] === 'string' ? [] : [path]
  const type = types.get(name)
  if (type === undefined) return name.startsWith('Vendor') ? [`${path}: ${name}`] : []
  if (type.values.length > 0) return type.values.includes(value) ? [] : [`${path}: ${value}`]
  if (typeof value !== 'object' || Array.isArray(value)) return [path]
  const isResource = type.base !== undefined && type.base !== 'Resource.OemObject'
  return Object.entries<Json>(value).flatMap(([member, each]) => {
    if (member.includes('@') || (isResource && inherited.has(member))) return []
    const inner = type.members.get(member) ?? type.patterns.find(([pattern]) => pattern.test(member))?.[1]
    return inner === undefined ? [`${path}/${member}`] : strangers(types, inner, each, `${path}/${member}`)
  })
}

onBoards(async (t, board) => {
  const server = await board.start(t, { configuration: { limits: { collectionPage: 5 } } })
  await fill(t, server)
  const { token } = await server.login()
  const resources = new Map<string, Json>()
  const files = new Map<string, Json>()

  t.test('every link leads somewhere, from the service root to the last page', async (t) => {
    const next = new Set(['/redfish/v1/'])
    const parts = new Set<string>()
    for (const path of next) {
      const answer = await server.get(path, { ...token, 'accept-encoding': 'gzip' })
      const { status, headers } = answer
      t.equal(status, 200, path)
      if (headers['content-type'] === 'application/octet-stream') continue
      const { json } = answer
      ;(headers['content-encoding'] === 'gzip' ? files : resources).set(path, json)
      for (const link of linksOf(json)) {
        if (link.includes('#')) parts.add(link)
        next.add(link.replace(/#.*$/, ''))
      }
    }
    for (const link of parts) {
      const [path = '', pointer = ''] = link.split('#')
      const found = part(resources.get(path) ?? files.get(path), pointer)
      t.not(found, undefined, link)
      if (found?.['@odata.id'] !== undefined) t.equal(found['@odata.id'], link)
    }
    t.ok(resources.size > 200 && files.size > 60, `${resources.size} resources and ${files.size} files`)
    t.ok(
      [...resources.keys()].some((path) => path.includes('?')),
      'pages'
    )
    t.ok(parts.size > 10, `${parts.size} parts`)
  })

  t.test('every resource has its canonical URI', async (t) => {
    for (const [path, body] of resources) t.equal(body['@odata.id'], path.replace(/\?.*$/, ''), path)
  })

  t.test('the pages of a collection show all of it', async (t) => {
    for (const [path, body] of resources) {
      if (path.includes('?') || body.Members === undefined) continue
      const members = [...body.Members]
      for (let page = body; page['Members@odata.nextLink']; members.push(...page.Members)) {
        page = resources.get(page['Members@odata.nextLink'])
      }
      t.equal(members.length, body['Members@odata.count'], path)
      t.equal(new Set(members.map((each) => each['@odata.id'])).size, members.length, path)
    }
  })

  const schemas = () => [...files].filter(([path]) => /\/SchemaStore\/.*\/$/.test(path)).map(([, schema]) => schema)

  t.test('every body conforms to the schema of its type', async (t) => {
    const ajv = new Ajv({ strict: false, validateFormats: false, allowUnionTypes: true })
    for (const { $schema, ...schema } of schemas()) ajv.addSchema(schema)
    for (const [path, body] of [...resources, ...files]) {
      const type = body['@odata.type']
      if (type === undefined) continue
      const check = ajv.getSchema(fileOf(type))
      t.ok(check, `${type} of ${path} is published`)
      t.ok(check?.(body), `${path}: ${ajv.errorsText(check?.errors)}`)
    }
  })

  t.test("the vendor's objects conform to the types that $metadata refers to", async (t) => {
    const metadata = (await server.get('/redfish/v1/$metadata', {})).text
    const spaces = new Map<string, ReturnType<typeof typesOf>>()
    for (const [, uri = '', includes = ''] of metadata.matchAll(/<edmx:Reference Uri="([^"]+)">([\s\S]*?)<\/edmx/g)) {
      if (!uri.startsWith('/')) continue
      const { status, headers, text } = await server.get(uri, token)
      t.match([status, headers['content-type'], headers['content-encoding']], [200, /^application\/xml/, undefined])
      const types = typesOf(text)
      for (const [, name = ''] of includes.matchAll(/Namespace="([^"]+)"/g)) {
        t.ok(text.includes(`Namespace="${name}"`), name)
        spaces.set(name, types)
      }
    }
    let checked = 0
    for (const [path, body] of resources) {
      const objects = [{ within: body, value: body['@odata.type'] }, ...all(body, '@odata.type')]
      for (const { within, value } of objects.filter(({ value }) => String(value).startsWith('#Vendor'))) {
        if (isInstance(within)) continue
        const types = spaces.get(namespaceOf(value)) ?? new Map()
        checked += 1
        t.same(strangers(types, value.slice(1), within), [], `${path} ${value}`)
        if (within !== body) t.equal(types.get(value.slice(1))?.base, 'Resource.OemObject', value)
      }
      for (const { name } of all(body, /^#Vendor/)) {
        const [space = '', action = ''] = name.slice(1).split('.')
        t.ok(spaces.get(space)?.get(name.slice(1))?.action, `${space} ${action}`)
      }
    }
    t.ok(checked > 30, `${checked} objects`)
  })

  t.test('every type is in $metadata, and its schema is linked', async (t) => {
    const metadata = (await server.get('/redfish/v1/$metadata')).text
    const types = new Set(
      [...resources.values()].flatMap((body) => [...all(body, '@odata.type')]).map((it) => it.value)
    )
    t.ok(types.size > 50, `${types.size} types`)
    for (const type of types) {
      t.ok(metadata.includes(`Namespace="${namespaceOf(type)}"`), type)
      t.ok(files.has(`${fileOf(type)}/`), `${fileOf(type)} is linked`)
      t.ok(resources.has(`/redfish/v1/schemas/${namespaceOf(type)}/`), `${type} is listed`)
    }
  })

  t.test('vendor properties are under Oem or in resources of their own', async (t) => {
    for (const [path, body] of resources) {
      const vendors = [...all(body, '@odata.type')].filter(
        ({ value, within }) => value.startsWith('#Vendor') && !isInstance(within)
      )
      const blocks = [...all(body, 'Oem')].map(({ value }) => value.Vendor)
      for (const { within } of vendors)
        t.ok(within === body || blocks.includes(within), `${path} ${within['@odata.type']}`)
    }
  })

  t.test('every message is in a registry, with the same number of arguments', async (t) => {
    const registries = [...files.values()].filter((file) => file.Messages !== undefined)
    const messages = [...resources.values()]
      .flatMap((body) => [...all(body, 'MessageId')])
      .filter(({ value }) => typeof value === 'string')
      .map(({ within }) => within)
      .filter(({ EntryType }) => EntryType !== 'SEL')
    t.ok(messages.length > 5, `${messages.length} messages`)
    for (const { MessageId, MessageArgs = [] } of messages) {
      const [prefix, , , key] = MessageId.split('.')
      const registry = registries.find(({ RegistryPrefix }) => RegistryPrefix === prefix)
      t.equal(MessageArgs.length, registry?.Messages[key]?.NumberOfArgs, MessageId)
    }
  })

  t.test('every action is served for POST only, and describes its parameters', async (t) => {
    const actions = [...resources.values()].flatMap((body) => [...all(body, /^#\w+\.\w+$/)])
    t.ok(actions.length > 25, `${actions.length} actions`)
    for (const { name, value: action } of actions) {
      const { status, headers } = await server.get(action.target, token)
      t.same([status, headers.allow], [405, 'POST'], action.target)
      const [type, verb = ''] = name.slice(1).split('.')
      const schema = schemas().find((each) => each.title.startsWith(`#${type}.`) && each.definitions[verb])
      t.ok(schema, `${name} is described`)
      const described = await info(server, token, action)
      const parameters = Object.entries<Json>(schema?.definitions[verb].parameters ?? {})
      for (const [parameter, { enum: values, items, requiredParameter = false }] of parameters) {
        const told = described?.get(parameter)
        const allowed = action[`${parameter}@Redfish.AllowableValues`] ?? told?.AllowableValues
        t.ok(allowed ?? told, `${name} ${parameter}`)
        if (told) t.match(told, { Required: requiredParameter, DataType: String })
        const closed = (values ?? items?.enum ?? []).filter((each: Json) => each !== null)
        // One of several resources may take some of them, such as a drive that erases itself in its own ways.
        const everywhere = told?.AllowableValues ?? allowed ?? []
        t.same([...everywhere].sort(), closed.sort(), `${name} ${parameter} takes the values that it lists`)
        for (const each of allowed ?? []) t.ok(closed.includes(each), `${name} ${parameter} takes ${each}`)
      }
      if (described) t.same([...described.keys()].sort(), parameters.map(([each]) => each).sort(), name)
    }
  })
})

/** The resource directory's line on a resource: its URI, type and tag. */
const isInstance = (object: Json) => Object.keys(object).join() === '@odata.id,@odata.type,ETag'

const namespaceOf = (type: string) => type.slice(1, type.lastIndexOf('.'))

const fileOf = (type: string) => `/redfish/v1/SchemaStore/en/${namespaceOf(type)}.json`

/** The parameters by their names as an ActionInfo resource describes them, where an action has one (DSP0266 7.11.2). */
async function info(server: Server, token: Headers, action: Json): Promise<Map<string, Json> | undefined> {
  const path = action['@Redfish.ActionInfo']
  if (path === undefined) return undefined
  const { Parameters } = (await server.get(path, token)).json
  return new Map(Parameters.map((each: Json) => [each.Name, each]))
}

/** Makes that there is a resource of every kind, and a message in every kind of place. */
async function fill(t: Test, server: Server): Promise<void> {
  const { system, manager } = await partsOf(server)
  const authority = new Authority(t, 'Own authority')
  const Metrics = [{ MetricId: 'FanSpeed' }]
  // On OpenBMC, settings and keys are those of another program, and no license is needed.
  const isOwn = 'BootPromptSeconds' in (await server.get(`${system}Bios/`)).json.Attributes
  const own = [
    [`${manager}LicenseService/`, { LicenseKey: licenseKey() }],
    [`${system}SecureBoot/Actions/SecureBoot.ResetKeys/`, { ResetKeysType: 'ResetAllKeysToDefault' }],
    [`${system}Bios/Settings/`, { Attributes: { BootPromptSeconds: 7, NoSuchSetting: 'x' } }]
  ] as const
  for (const [path, body] of [
    ['/redfish/v1/AccountService/Accounts/', { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'ReadOnly' }],
    ['/redfish/v1/AccountService/UserCertificateMapping/', { UserName: 'ann', Fingerprint: authority.issue().cert }],
    [
      `${manager}SecurityService/CertificateAuthentication/Actions/VendorCertAuth.ImportCACertificate/`,
      { Certificate: authority.cert }
    ],
    ['/redfish/v1/EventService/Subscriptions/', { Destination: 'https://127.0.0.1:9/events' }],
    [
      '/redfish/v1/TelemetryService/MetricReportDefinitions/',
      { Id: 'Fans', MetricReportDefinitionType: 'OnRequest', Metrics }
    ],
    ...(isOwn ? own : []),
    [`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' }]
  ] as const) {
    const { status, text } = await server.post(path, body)
    t.ok(status === 200 || status === 201, `${path}: ${text}`)
  }
  await server.until(
    () => server.get(`${system}Bios/`),
    ({ json }) => !isOwn || json['@Redfish.Settings'].Messages?.length > 1
  )
}
