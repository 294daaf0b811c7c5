import type { Test } from 'tap'
import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { password, start } from './server.ts'

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const at = (path: string) => ({ '@odata.id': `/redfish/v1/${path}` })

onBothHosts(async (t, host) => {
  const server = await start(t, host)
  const json = async (path: string) => (await server.get(`/redfish/v1/${path}`)).json

  /** A value may be null; a property may not be missing. */
  const has = (t: Test, body: object, ...names: string[]) => {
    for (const name of names) t.ok(name in body, name)
  }

  t.test('the file of an attribute registry describes menus, attributes, dependencies and systems', async (t) => {
    const { AttributeRegistry } = await json('Systems/1/Bios/')
    const [{ Uri }] = (await json(`Registries/${AttributeRegistry}/`)).Location
    const file = (await server.get(Uri)).json
    t.match(file, { Id: String, Name: String, Language: 'en', OwningEntity: String, Description: String })
    t.match(file.RegistryVersion, /^\d+\.\d+\.\d+$/)
    const { Menus, Attributes, Dependencies, SupportedSystems } = file.RegistryEntries
    for (const menu of Menus) {
      t.match(menu, { MenuName: String, DisplayName: String, DisplayOrder: Number, MenuPath: String })
      t.match(menu, { ReadOnly: Boolean, GrayOut: Boolean })
    }
    for (const attribute of Attributes) {
      t.match(attribute, { AttributeName: /^\D/, DisplayName: String, HelpText: String, MenuPath: String })
      t.match(attribute, { ReadOnly: Boolean, GrayOut: Boolean, DisplayOrder: Number })
      t.match(attribute.Type, /^(Enumeration|String|Integer|Boolean|Password)$/)
      if (attribute.Type !== 'Password') has(t, attribute, 'DefaultValue')
      if (attribute.Type === 'String') has(t, attribute, 'MinLength', 'MaxLength')
      if (attribute.Type === 'Integer') has(t, attribute, 'LowerBound', 'UpperBound', 'ScalarIncrement')
      for (const value of attribute.Value ?? []) t.match(value, { ValueName: /^\D/, ValueDisplayName: String })
    }
    t.ok(Attributes.some((each: object) => 'ValueExpression' in each))
    for (const { DependencyFor, Type, Dependency } of Dependencies) {
      t.match({ DependencyFor, Type }, { DependencyFor: String, Type: 'Map' })
      t.match(Dependency, { MapToAttribute: String, MapToProperty: String })
      has(t, Dependency, 'MapToValue')
      for (const from of Dependency.MapFrom) {
        t.match(from, { MapFromAttribute: String, MapFromProperty: String, MapFromCondition: /^[A-Z]{3}$/ })
        has(t, from, 'MapFromValue')
      }
    }
    t.match(SupportedSystems, [{ ProductName: String, SystemId: String, FirmwareVersion: String }])
  })

  t.test('a message registry links to its file, which describes each message', async (t) => {
    for (const prefix of [
      ...['Base', 'Mgmt', 'MgmtEvents', 'MgmtResourceEvents', 'ResourceEvent', 'NetworkDevice', 'StorageDevice'],
      'TaskEvent',
      'Telemetry'
    ]) {
      const listed = await json(`registries/${prefix}/`)
      t.match(listed, { Id: prefix, Registry: new RegExp(`^${prefix}\\.\\d+\\.\\d+$`), Languages: ['en'] })
      const file = await json(`RegistryStore/registries/en/${prefix}.json`)
      t.same((await server.get(listed.Location[0].Uri)).json, file)
      for (const message of Object.values<{ NumberOfArgs: number; ParamTypes: string[] }>(file.Messages)) {
        t.match(message, { Description: String, Message: String, Resolution: String, NumberOfArgs: Number })
        t.match(message, { Severity: /^(OK|Warning|Critical)$/, MessageSeverity: /^(OK|Warning|Critical)$/ })
        t.equal(message.ParamTypes.length, message.NumberOfArgs)
      }
    }
  })

  t.test('a session shows its user, time, address and privileges', async (t) => {
    const { location, token } = await server.login()
    const session = (await server.get(location, token)).json
    t.match(session, { Id: String, Name: String, UserName: 'admin' })
    const { Privileges, ...rest } = session.Oem.Vendor
    t.match(rest, { AccessTime: time, LoginTime: time, UserExpires: time, MySession: true, UserIP: '127.0.0.1' })
    t.match(rest, { UserTag: String, UserType: String })
    const names = 'HostBIOSConfig HostNICConfig HostStorageConfig Login RemoteConsole SystemRecoveryConfig UserConfig'
    for (const name of `${names} VirtualMedia VirtualPowerAndReset MgmtConfig`.split(' ')) {
      t.equal(Privileges[`${name}Priv`], name !== 'SystemRecoveryConfig', name)
    }
    t.equal(Object.keys(Privileges).length, 10)
  })

  t.test('the event service offers its prefixes, its subscriptions, a test event and a stream', async (t) => {
    const prefixes = [
      'MgmtEvents',
      'MgmtResourceEvents',
      'NetworkDevice',
      'ResourceEvent',
      'StorageDevice',
      'Telemetry'
    ]
    const service = await json('EventService/')
    t.same([...service.RegistryPrefixes].sort(), prefixes)
    t.match(service, {
      Subscriptions: at('EventService/Subscriptions/'),
      ServerSentEventUri: /^\/redfish\/v1\/EventService\//,
      Actions: { '#EventService.SubmitTestEvent': { target: String } }
    })
    const { RegistryPrefixes, ...others } = await json('EventService/?$select=RegistryPrefixes')
    t.same([...RegistryPrefixes].sort(), prefixes)
    t.ok(Object.keys(others).every((name) => name.startsWith('@odata.')))
  })

  t.test("a subscription shows the client's values and the service's defaults", async (t) => {
    const given = { Destination: 'https://127.0.0.1:9/events', Context: 'rack 7' }
    const answer = await server.post('/redfish/v1/EventService/Subscriptions/', {
      ...given,
      HttpHeaders: { 'X-Key': 'Blue-Lamp-3' }
    })
    t.same([answer.status, messagesOf(answer)], [201, ['Base.Created()']])
    const { text, json: filled } = await server.get(String(answer.headers.location))
    t.match(filled, { ...given, EventFormatType: 'Event', Protocol: 'Redfish', SubscriptionType: 'RedfishEvent' })
    t.match(filled, { Id: String, HttpHeaders: [], MetricReportDefinitions: [] })
    t.notOk(text.includes('Blue-Lamp-3'), 'headers are kept to the service')
    t.same([...filled.RegistryPrefixes].sort(), (await json('EventService/')).RegistryPrefixes.toSorted())
    t.match(filled.Oem.Vendor, {
      DeliveryRetryAttempts: 3,
      DeliveryRetryIntervalInSeconds: 30,
      MutualAuthenticationEnabled: false,
      RequestedMaxEventsToQueue: 3,
      RetireOldEventInMinutes: 10
    })
    const reports = { Destination: given.Destination, EventFormatType: 'MetricReport' }
    const MetricReportDefinitions = [at('TelemetryService/MetricReportDefinitions/CPUUtilization/')['@odata.id']]
    const other = await server.post('/redfish/v1/EventService/Subscriptions/', { ...reports, MetricReportDefinitions })
    t.equal(other.status, 201)
    t.match((await server.get(String(other.headers.location))).json, { ...reports, MetricReportDefinitions })
  })

  t.test('the telemetry service leads to definitions, with their types and schedules', async (t) => {
    t.match(await json('TelemetryService/'), {
      MetricDefinitions: at('TelemetryService/MetricDefinitions/'),
      MetricReportDefinitions: at('TelemetryService/MetricReportDefinitions/'),
      MetricReports: at('TelemetryService/MetricReports/')
    })
    const { Members } = await json('TelemetryService/MetricReportDefinitions/')
    t.ok(Members.length > 3)
    for (const { '@odata.id': path } of Members) {
      const Schedule = { RecurrenceInterval: 'PT1H', InitialStartTime: '2099-06-01T12:00:00Z' }
      const wanted = { MetricReportDefinitionType: 'Periodic', Schedule }
      t.equal((await server.patch(path, wanted)).status, 200, path)
      t.match((await server.get(path)).json, wanted)
      for (const MetricReportDefinitionType of ['OnRequest', 'OnChange']) {
        t.equal((await server.patch(path, { MetricReportDefinitionType })).status, 200, path)
        t.match((await server.get(path)).json, { MetricReportDefinitionType })
      }
    }
  })

  t.test('in the verbose profile a session says the role it began with', async (t) => {
    const verbose = await start(t, host, { configuration: { profile: 'verbose' } })
    const { location, token } = await verbose.login('admin', password)
    t.equal((await verbose.get(location, token)).json.Oem.Vendor.InitialRole, 'Administrator')
  })
})
