import t from 'tap'
import {
  actionsOf,
  bodyOf,
  describedIn,
  type Field,
  fieldsOf,
  inputText,
  inputValue,
  isLoginRule,
  type Parameter,
  parametersOf,
  referenced,
  type SchemaFile,
  valuesOf
} from '#runtime/page/rules/forms.ts'
import { loadNames, nameOf } from '#runtime/page/words/index.ts'
import { en } from '#runtime/page/words/names-en.ts'
import { type Fixture, openFixture } from '#test/runtime/service.ts'

let service: Fixture
t.before(async () => {
  service = await openFixture()
})
t.teardown(() => service.close())

/** A resource with its schema file, and those that it refers to, as the page gets them. */
async function shown(uri: string) {
  const { json, headers } = await service.ask('GET', uri)
  const read = async (path: string): Promise<SchemaFile> => (await service.ask('GET', path)).json
  const link = /<([^>]+)>/.exec(headers.link ?? '')?.[1] ?? ''
  const file = await read(link)
  const others = new Map<string, SchemaFile>()
  for (const name of referenced(file)) others.set(name, await read(`/redfish/v1/SchemaStore/en/${name}`))
  return { resource: json, file, files: (name: string) => others.get(name) }
}

const byPath = (fields: readonly Field[], path: string) => fields.find((each) => each.path.join('/') === path)

t.test('a form has a field for each property that clients may write, with its type and bounds', async (t) => {
  const { resource, file, files } = await shown('/redfish/v1/Systems/1/')
  const fields = fieldsOf(resource, file, files)
  t.match(byPath(fields, 'AssetTag'), { kind: 'text', value: '', property: { maxLength: 63 } })
  t.match(byPath(fields, 'LocationIndicatorActive'), { kind: 'flag', value: false })
  t.match(byPath(fields, 'IndicatorLED'), { kind: 'choice', choices: ['Off', 'Lit', 'Blinking'] })
  t.match(byPath(fields, 'Boot/BootOrder'), { kind: 'list', columns: [] })
  const target = byPath(fields, 'Boot/BootSourceOverrideTarget')
  t.same(target?.choices, resource.Boot['BootSourceOverrideTarget@Redfish.AllowableValues'])
  t.equal(byPath(fields, 'PowerState'), undefined)
})

t.test("a form reaches into the vendor's part, whose schema is a file of its own", async (t) => {
  const { resource, file, files } = await shown('/redfish/v1/Managers/1/VirtualMedia/2/')
  t.match(byPath(fieldsOf(resource, file, files), 'Oem/Vendor/BootOnNextServerReset'), { kind: 'flag', value: false })
})

t.test('a schema is described with its nested properties, in any file', async (t) => {
  const { file, files } = await shown('/redfish/v1/Managers/1/VirtualMedia/2/')
  const described = describedIn(file, files)
  t.match(described.get('MediaTypes'), { type: 'array', enum: ['CD', 'DVD', 'Floppy', 'USBStick'], readonly: true })
  t.match(described.get('Oem › Vendor › BootOnNextServerReset'), { type: 'boolean', readonly: false })
  t.same(
    valuesOf(described.get('ConnectedVia') ?? {}),
    ['NotConnected', 'URI', 'Applet'],
    'null is a type, and no value'
  )
  const node = { properties: { Next: { $ref: '#/definitions/Node' } } }
  t.same(
    [...describedIn({ $ref: '#/definitions/Node', definitions: { Node: node } }, files).keys()],
    ['Next', 'Next › Next'],
    'one that is made of itself ends'
  )
})

t.test('the form of every resource with something to write can be sent back as it is', async (t) => {
  const { resource, file, files } = await shown('/redfish/v1/Systems/1/')
  const fields = fieldsOf(resource, file, files).filter(({ value }) => value !== undefined)
  const entered = new Map(fields.map(({ path, value }) => [path.join('/'), value]))
  const { status } = await service.ask('PATCH', '/redfish/v1/Systems/1/', bodyOf(fields, entered))
  t.equal(status, 200)
})

t.test('an action has its parameters from the resource, its schema, or its ActionInfo', async (t) => {
  const { resource, file, files } = await shown('/redfish/v1/Systems/1/')
  const reset = actionsOf(resource, file, files).find(({ name }) => name === 'ComputerSystem.Reset')
  t.match(reset, {
    target: '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/',
    fields: [{ kind: 'choice', required: true }]
  })
  const drive = await shown('/redfish/v1/Managers/1/VirtualMedia/2/')
  const insert = actionsOf(drive.resource, drive.file, drive.files).find(
    ({ name }) => name === 'VirtualMedia.InsertMedia'
  )
  const info = (await service.ask('GET', insert?.info ?? '')).json.Parameters as Parameter[]
  t.match(parametersOf(info), [
    { path: ['Image'], kind: 'text', required: true },
    { path: ['Inserted'], kind: 'flag', required: false }
  ])
})

t.test('an unchanged field is not sent', async (t) => {
  const fields = [{ path: ['A', 'B'] }, { path: ['C'] }] as unknown as Field[]
  t.same(bodyOf(fields, new Map([['A/B', 1]])), { A: { B: 1 } })
  t.same(bodyOf(fields, new Map()), {})
})

t.test('an input has a value of its type', async (t) => {
  const of = (kind: Field['kind'], nullable = false) => ({ kind, nullable }) as Field
  t.equal(inputValue(of('number'), '3'), 3)
  t.equal(inputValue(of('number', true), ''), null)
  t.equal(inputValue(of('flag'), 'true'), true)
  t.equal(inputValue(of('text', true), ''), '')
  t.same(inputValue(of('json'), '["a"]'), ['a'])
  t.throws(() => inputValue(of('json'), '['), SyntaxError)
})

t.test('a list is entered and shown line by line', async (t) => {
  const { resource, file, files } = await shown('/redfish/v1/Managers/1/EthernetInterfaces/1/')
  const fields = fieldsOf(resource, file, files)
  const servers = byPath(fields, 'StaticNameServers')!
  t.equal(inputText({ ...servers, value: ['192.0.2.53', '192.0.2.54'] }), '192.0.2.53\n192.0.2.54')
  t.same(inputValue(servers, ' 192.0.2.53\n\n192.0.2.54 \n'), ['192.0.2.53', '192.0.2.54'])
  t.same(inputValue({ ...servers, nullable: true }, ''), [])
  const addresses = byPath(fields, 'IPv4StaticAddresses')!
  const member = { Address: '192.0.2.7', Gateway: null, SubnetMask: '255.255.255.0' }
  t.equal(inputText({ ...addresses, value: [member] }), '192.0.2.7 - 255.255.255.0')
  t.same(inputValue(addresses, '192.0.2.7 - 255.255.255.0'), [member])
  t.throws(() => inputValue(addresses, '192.0.2.7 - 255.255.255.0 1'), SyntaxError)
  t.same(inputValue(byPath(fields, 'IPv6StaticAddresses')!, '2001:db8::7 64'), [
    { Address: '2001:db8::7', PrefixLength: 64 }
  ])
})

t.test('all that the settings and the accounts let people enter has a name in words', async (t) => {
  for (const uri of [
    'Managers/1/EthernetInterfaces/1/',
    'Managers/1/NetworkProtocol/',
    'AccountService/',
    'AccountService/Accounts/admin/'
  ]) {
    const { resource, file, files } = await shown(`/redfish/v1/${uri}`)
    const fields = fieldsOf(resource, file, files).filter(isLoginRule)
    t.ok(fields.length > 0, uri)
    for (const { path, kind, columns } of fields) {
      t.not(kind, 'json', path.join('/'))
      const own = (path[0] === 'Oem' ? path.slice(2) : path).join('/')
      t.same(
        [own, ...columns].filter((each) => !(each in en)),
        []
      )
    }
  }
  t.equal(nameOf(['NTP', 'NTPServers']), 'NTP › NTPServers', 'as the schema has it until the names are loaded')
  await loadNames()
  t.equal(nameOf(['NTP', 'NTPServers']), 'Time servers')
  t.equal(nameOf(['Oem', 'Vendor', 'LoginName']), 'Name for login')
  t.equal(nameOf(['Made', 'Up']), 'Made › Up')
})
