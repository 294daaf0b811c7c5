import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import type { Configuration } from '#data/configuration'
import { handlers } from '#generated'
import { licenseKey } from '#runtime/build/license-key.mjs'
import { type Tables, vendorPrivileges, type Writes } from '#runtime/contract'
import type { Property, Schema } from '#runtime/schema'
import { links } from '#test/host/links.ts'
import { type Answer, type Fixture, openFixture } from '#test/runtime/service.ts'

type Json = Answer['json']

/** A writable property that no handler knows, as a new property of a schema would be. */
const unknown = { path: ['Unknown'], value: true }

/**
 * Two words for one thing: who writes one sees the other follow (DSP0268, TimeZoneName, IndicatorLED, VirtualMedia.Inserted,
 * FQDN).
 * A set point of a control enables it. NTP is on if there are servers and no client has switched it off.
 */
const pairs = [
  ['DateTimeLocalOffset', 'TimeZoneName'],
  ['IndicatorLED', 'LocationIndicatorActive'],
  ['Image', 'Inserted'],
  ['FQDN', 'HostName'],
  ['NTP/NTPServers', 'NTP/ProtocolEnabled'],
  ['ControlMode', 'SetPoint'],
  ['PowerLimitWatts/ControlMode', 'PowerLimitWatts/SetPoint'],
  // An account with another role has the privileges of that.
  ...vendorPrivileges.map((each) => ['RoleId', `Oem/Vendor/Privileges/${each}`])
]

/** Members that a client may change elsewhere only: the clock on an image, values of a discrete trigger. */
const others = new Set(['DateTime', 'DiscreteTriggers'])

interface Member {
  readonly path: readonly string[]
  readonly value: unknown
}

const served = handlers.map((handler) => {
  const { module } = handler
  if (module.PATCH === undefined || module.schema === undefined) return handler
  const properties = { ...module.schema.properties, Unknown: { type: 'boolean', readonly: false } as const }
  return { ...handler, module: { ...module, schema: { ...module.schema, properties } } }
})

/** A board whose chassis all have a power limit, and whose systems have the log of another program. */
const whole = (board: Board): Board => {
  const powerLimit = { type: 'sim', minimum: 1, maximum: 1000 }
  const chassis = Object.entries(board.chassis).map(([id, each]) => [id, { ...each, powerLimit }])
  const systems = Object.entries(board.systems).map(([id, each]) => [id, { ...each, eventLog: { type: 'sim' } }])
  return { ...board, chassis: Object.fromEntries(chassis), systems: Object.fromEntries(systems) }
}

const hooked = ({ enrollment }: Configuration) => {
  Object.assign(enrollment, { dnsHook: '/bin/false' })
}

t.test('a PATCH changes the properties that it names and no others', async (t) => {
  const fixture = await openFixture(hooked, undefined, whole, served)
  t.teardown(() => fixture.close())
  // They carry changes out half a second later, and would show in the answers of then.
  for (const port of Object.values(fixture.ports)) port.configure = async () => {}
  await prepare(fixture)
  const uris = await resources(fixture)
  for (const { template, module } of handlers.filter(({ module }) => module.PATCH !== undefined)) {
    const schema = module.schema!
    t.test(`a PATCH of ${template}`, async (t) => {
      const isChanged = (each: string) => module.methods?.(identifiers(each, template)).includes('PATCH') ?? true
      const uri = uris.findLast((each) => fits(each, template) && isChanged(each))
      if (uri === undefined) return t.fail('there is no resource of this template')
      const shown = (await fixture.ask('GET', uri)).json
      const members = writable(schema).map((path) => ({ path, value: otherValue(schema, path, shown) }))
      const alone = new Set<string>()
      const moved: string[] = []
      for (const member of members) {
        const changed = await effects(t, fixture, uri, [member])
        for (const effect of changed) alone.add(effect)
        for (const other of members.filter((each) => each !== member)) {
          if (pairs.some((pair) => [member, other].every(({ path }) => pair.includes(path.join('/'))))) continue
          const shows = `shown/${other.path.join('/')}`
          for (const effect of changed.filter((each) => `${each}/`.startsWith(`${shows}/`)))
            moved.push(`${member.path.join('/')} moves ${effect}`)
        }
      }
      t.same(moved, [], 'each of them leaves the others as they are')
      t.same(await effects(t, fixture, uri, members), [...alone].sort(), 'all of them change what each of them does')
      t.same(await effects(t, fixture, uri, [unknown]), [], 'another property changes nothing')
    })
  }
})

/** Makes what there is nothing of after a first start, and puts things into a state that can be left. */
async function prepare({ ask, service: { store, hardware } }: Fixture): Promise<void> {
  const send = async (method: string, uri: string, body: object) => {
    const { status, text } = await ask(method, `/redfish/v1/${uri}/`, body)
    if (status >= 300) throw new Error(text)
  }
  const named = { Oem: { Vendor: { LoginName: 'The ward' } } }
  const account = { UserName: 'ward', Password: 'Gr8-horse-b', RoleId: 'ReadOnly', ...named }
  await send('POST', 'AccountService/Accounts', account)
  await send('POST', 'AccountService/Roles', { RoleId: 'Ward' })
  await store.commit({ account: { ward: { lockedUntil: Date.now() + 86_400_000 } } })
  // Else the administrator could do nothing once a second factor is needed.
  await send('PATCH', 'AccountService/Accounts/admin', { MFABypass: { BypassTypes: ['All'] } })
  const directory = {
    Authentication: { Username: 'cn=reader', Password: 'Gr8-horse-c' },
    LDAPService: { SearchSettings: { BaseDistinguishedNames: ['dc=example'] } },
    RemoteRoleMapping: [{ RemoteGroup: 'wards', LocalRole: 'ReadOnly' }],
    ServiceAddresses: ['ldaps://127.0.0.1:1'],
    ServiceEnabled: true
  }
  await send('PATCH', 'AccountService', { LDAP: directory, ActiveDirectory: directory })
  await send('PATCH', 'CertificateService/CertificateEnrollments/HTTPS', {
    ServerURI: 'https://127.0.0.1:1/',
    ACME: { EABKeyId: 'one', EABKey: 'AAAA' }
  })
  const subscription = { Destination: 'https://127.0.0.1:1/', RegistryPrefixes: ['NetworkDevice'] }
  await send('POST', 'EventService/Subscriptions', subscription)
  // Those that ship have no record before the first change.
  const report = {
    Id: 'ward',
    MetricReportDefinitionType: 'OnRequest',
    Schedule: { RecurrenceInterval: 'PT1M' },
    Metrics: [{ MetricId: 'Temperature' }]
  }
  await send('POST', 'TelemetryService/MetricReportDefinitions', report)
  const limit = (Reading: number) => ({ Reading })
  await send('POST', 'TelemetryService/Triggers', {
    MetricType: 'Numeric',
    MetricIds: ['Temperature'],
    NumericThresholds: {
      LowerCritical: limit(-40),
      LowerWarning: limit(-20),
      UpperWarning: limit(220),
      UpperCritical: limit(240)
    },
    TriggerActions: ['RedfishMetricReport']
  })
  for (const id of Object.keys(hardware.board.managers)) {
    await store.commit({ certificateLogin: { [id]: { enabled: true } } })
    for (const [drive, { media }] of Object.entries(hardware.board.managers[id]?.virtualMedia ?? {})) {
      // A host sees it: its image would be fetched.
      if (media !== undefined) continue
      const insert = `Managers/${id}/VirtualMedia/${drive}/Actions/VirtualMedia.InsertMedia`
      await send('POST', insert, { Image: 'https://127.0.0.1:1/boot.iso' })
    }
  }
  for (const id of Object.keys(hardware.board.systems)) {
    const keys = { ResetKeysType: 'ResetAllKeysToDefault' }
    await send('POST', `Systems/${id}/SecureBoot/Actions/SecureBoot.ResetKeys`, keys)
    await send('PATCH', `Systems/${id}/SecureBoot`, { SecureBootEnable: true })
  }
  for (const id of Object.keys(hardware.board.chassis)) {
    await send('PATCH', `Chassis/${id}`, { LocationIndicatorActive: true })
  }
}

/** The URIs of all resources. */
async function resources({ ask }: Fixture): Promise<string[]> {
  const found = new Set(['/redfish/v1/'])
  for (const uri of found) for (const link of links((await ask('GET', uri)).json)) found.add(link)
  return [...found]
}

function fits(uri: string, template: string): boolean {
  const names = template.split('/')
  const segments = uri.slice(0, -1).split('/')
  return names.length === segments.length && names.every((name, at) => name.startsWith('{') || name === segments[at])
}

/** The parameters of a template in a URI that fits it. */
function identifiers(uri: string, template: string): Record<string, string> {
  const segments = uri.split('/')
  const named = template.split('/').map((name, at) => [name.slice(1, -1), segments[at] ?? ''] as const)
  return Object.fromEntries(named.filter((_, at) => template.split('/')[at]?.startsWith('{')))
}

/** The paths of the members that a client may change, without annotations. */
function writable({ properties }: Schema): string[][] {
  return Object.entries<Property>(properties).flatMap(([name, property]) => {
    if (name.includes('@') || others.has(name)) return []
    if (property.readonly === false) return [[name]]
    return property.type === 'object' ? writable(property).map((path) => [name, ...path]) : []
  })
}

/** New values of members of which the schema does not say all. */
const values: Readonly<Record<string, (shown: Json, path: readonly string[]) => unknown>> = {
  AccountLockoutCounterResetAfter: (shown) => shown.AccountLockoutCounterResetAfter - 1,
  // Others leave privileges out.
  AccountTypes: (shown) => shown.AccountTypes,
  AppendLimit: (shown) => shown.AppendLimit - 1,
  Attributes: () => ({ ServerName: 'OTHER' }),
  BootOrder: (shown) => [...shown.Boot.BootOrder].reverse(),
  DateTimeLocalOffset: () => '+02:00',
  DwellTime: () => 'PT17S',
  // An enrollment that begins changes what is shown.
  Enabled: (shown, path) => shown.EnrollmentType === undefined && !path.reduce((at: Json, name) => at?.[name], shown),
  EABKeyId: () => 'other',
  Email: () => 'other@example.net',
  AlternativeNames: () => ['other.example.net'],
  ChallengeType: () => 'Dns01',
  ServerURI: () => 'https://acme.example.net/other',
  FQDN: () => 'other.example.net',
  HostName: () => 'other',
  HttpBootUri: () => 'https://boot.example/shim.efi',
  HttpPushUriTargets: () => ['/redfish/v1/Managers/1/'],
  Image: () => null,
  HttpHeaders: () => [{ 'X-Name': 'value' }],
  HysteresisDuration: () => 'PT17S',
  MetricIds: () => ['FanSpeed'],
  MetricProperties: () => ['/redfish/v1/Chassis/1/Sensors/2/#/Reading'],
  MetricReportDefinitions: () => [{ '@odata.id': '/redfish/v1/TelemetryService/MetricReportDefinitions/FanSpeed/' }],
  Wildcards: () => [{ Name: 'Sensor', Values: ['2'] }],
  PowerControl: () => [{ PowerLimit: { LimitInWatts: 500 } }],
  SecondFactorRoles: () => ['Operator'],
  SetPoint: () => 700,
  InitialStartTime: () => '2031-01-01T00:00:00Z',
  IPv4StaticAddresses: () => [{ Address: '192.0.2.9', SubnetMask: '255.255.255.0', Gateway: '192.0.2.1' }],
  IPv6StaticAddresses: () => [{ Address: '2001:db8::9', PrefixLength: 64 }],
  IPv6StaticDefaultGateways: () => [{ Address: '2001:db8::1' }],
  LicenseKey: () => licenseKey(sim.licenseKey, { jti: '1', class: 'Advanced', iat: 1_700_000_000 }),
  LocalAccountAuth: () => 'LocalFirst',
  Locked: () => false,
  MaintenanceWindowStartTime: () => '2031-01-01T00:00:00Z',
  Metrics: (shown) => [{ ...shown.Metrics[0], CollectionDuration: 'PT60S' }],
  Password: () => 'Other-horse-1',
  PasswordExpiration: () => '2031-01-01T00:00:00Z',
  PersistentBootConfigOrder: (shown) => [...shown.PersistentBootConfigOrder].reverse(),
  // Readings of thresholds have an order.
  Reading: (shown, [of = '', name = '']) => (shown[of][name].Reading ?? Object.keys(shown[of]).indexOf(name)) + 1,
  RecurrenceInterval: () => 'PT17M',
  RemoteRoleMapping: () => [{ RemoteGroup: 'guards', LocalRole: 'Operator' }],
  RoleId: () => 'Administrator',
  RollbackTime: () => 0,
  StaticNameServers: () => ['192.0.2.53'],
  TimeZoneName: () => 'Etc/GMT-2',
  ServiceAddresses: () => ['ldaps://127.0.0.1:2'],
  UserBindTemplate: () => 'uid={user}',
  UserName: () => 'guard',
  UefiTargetBootSourceOverride: (shown) => shown.Boot['UefiTargetBootSourceOverride@Redfish.AllowableValues'].at(-1)
}

/** A value that the member does not have yet, where there is another. */
function otherValue(schema: Schema, path: readonly string[], shown: Json): unknown {
  const property = path.reduce((at: Json, name) => at.properties[name], schema)
  const name = path.at(-1) ?? ''
  const parent = path.slice(0, -1).reduce((at, name) => at?.[name], shown)
  const allowed = property.enum && parent?.[`${name}@Redfish.AllowableValues`]
  const value = values[name]
  return value === undefined
    ? otherThan(parent?.[name], allowed ? { ...property, enum: allowed } : property)
    : value(shown, path)
}

function otherThan(present: Json, { type, items, ...property }: Json): unknown {
  if (type === 'boolean') return present !== true
  if (type === 'array') return [otherThan(present?.[0], items)]
  if (type === 'string') return property.enum?.find((each: string) => each !== present) ?? property.enum?.[0] ?? 'OTHER'
  return (present ?? 0) + 1
}

function bodyOf(members: readonly Member[]): object {
  const body: Json = {}
  for (const { path, value } of members) {
    const within = path.slice(0, -1).reduce((at, name) => {
      at[name] ??= {}
      return at[name]
    }, body)
    within[path.at(-1) ?? ''] = value
  }
  return body
}

/**
 * The paths of all that a PATCH made different, in records, at devices and in what the resource shows; and undoes it.
 */
async function effects(t: Test, fixture: Fixture, uri: string, members: readonly Member[]): Promise<string[]> {
  const { store, hardware } = fixture.service
  const present = async () => {
    const { '@odata.etag': _, ...shown } = (await fixture.ask('GET', uri)).json
    const lamps = Object.fromEntries(Object.keys(hardware.board.chassis).map((id) => [id, hardware.indicator(id)]))
    const powers = Object.fromEntries(Object.keys(hardware.board.systems).map((id) => [id, hardware.power(id)]))
    return { shown, lamps, powers, records: records(fixture) }
  }
  const before = await present()
  const { status, text } = await fixture.ask('PATCH', uri, bodyOf(members))
  t.equal(status, 200, text)
  const after = await present()
  for (const [chassis, indicator] of Object.entries(before.lamps)) {
    if (indicator !== after.lamps[chassis]) await hardware.perform({ kind: 'indicator', chassis, state: indicator })
  }
  const moved = store.tables.filter((table) => !isDeepStrictEqual(before.records[table], after.records[table]))
  if (moved.length > 0) {
    const { machineLogEntry: _, ...own } = after.records
    // The entries of another program are changed back: removed ones are gone.
    await store.commit(gone(own))
    await store.commit(before.records)
  }
  const changed = ({ records, ...shown }: typeof before) =>
    leaves({ ...shown, records: Object.fromEntries(moved.map((table) => [table, records[table]])) })
  const [old, now] = [changed(before), changed(after)]
  return [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path)).sort()
}

/** Tables of what happened: every change is an event. */
const happened: readonly (keyof Tables)[] = ['event', 'report', 'delivery', 'logEntry']

function records({ service: { store } }: Fixture): Writes {
  const tables = store.tables.filter((table) => !happened.includes(table))
  return Object.fromEntries(
    tables.map((table) => [table, Object.fromEntries(store.keys(table).map((key) => [key, store.get(table, key)!]))])
  )
}

/** Writes that delete these records. */
function gone(records: Writes): Writes {
  return Object.fromEntries(
    Object.entries(records).map(([table, keys]) => [
      table,
      Object.fromEntries(Object.keys(keys).map((key) => [key, null]))
    ])
  )
}

/** Every value that is no object, by its path. */
function leaves(value: Json, path = ''): Map<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return new Map([[path, JSON.stringify(value)]])
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return new Map(entries.flatMap(([name, each]) => [...leaves(each, path === '' ? name : `${path}/${name}`)]))
}
