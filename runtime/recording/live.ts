import { isObject, linkIn, pathOf, type Resource, within } from './resources.ts'

/** All members that the service has of a resource. */
const all = 'all'

/**
 * The members of recorded resources that the service shows itself, by types; with a slash, one of a member's members. Of
 * other types it shows none.
 */
const liveMembers: { readonly [type: string]: readonly string[] | typeof all } = {
  ServiceRoot: [
    ...['AccountService', 'CertificateService', 'EventService', 'Links', 'ProtocolFeaturesSupported', 'Registries'],
    ...['SessionService', 'Tasks', 'TelemetryService', 'UUID', 'UpdateService']
  ],
  ComputerSystem: [
    ...[
      'Actions',
      'AssetTag',
      'Bios',
      'Boot',
      'BootProgress',
      'IndicatorLED',
      'LocationIndicatorActive',
      'LogServices'
    ],
    ...['PowerState', 'SecureBoot', 'SerialConsole', 'SerialNumber', 'Status/State', 'UUID']
  ],
  Chassis: ['AssetTag', 'IndicatorLED', 'LocationIndicatorActive', 'PowerState', 'SerialNumber'],
  Manager: [
    ...['Actions', 'DateTime', 'DateTimeLocalOffset', 'EthernetInterfaces', 'LogServices', 'NetworkProtocol'],
    ...['ServiceEntryPointUUID', 'UUID', 'VirtualMedia']
  ],
  Bios: ['@Redfish.Settings', 'Actions', 'AttributeRegistry', 'Attributes'],
  ...Object.fromEntries(
    [
      ...['AccountService', 'BootOption', 'CertificateLocations', 'CertificateService', 'EthernetInterface'],
      ...['EventDestination', 'EventService', 'LogEntry', 'LogService', 'ManagerAccount', 'ManagerNetworkProtocol'],
      ...['MessageRegistryFile', 'MetricDefinition', 'MetricReport', 'MetricReportDefinition', 'Role', 'SecureBoot'],
      ...['Certificate', 'SecureBootDatabase', 'Session', 'SessionService', 'Signature', 'SoftwareInventory', 'Task'],
      ...['TaskService', 'TelemetryService', 'UpdateService', 'VirtualMedia']
    ].flatMap((type) => [
      [type, all],
      [`${type}Collection`, all]
    ])
  )
}

/** Members that stay as they were recorded: they say where a resource is and what kind of thing. */
const kept = new Set(['@odata.id', '@odata.type', '@odata.context', 'Id', 'Name', 'Description', 'target'])

/** Whether the service shows some of the resources of a type itself. */
export function isLive(type: string): boolean {
  return Object.hasOwn(liveMembers, type)
}

/**
 * A recorded resource as the service shows it.
 *
 * @param shown what the service has there
 * @param aliases see `aliasesOf`
 */
export function withLive(
  recorded: Resource,
  shown: Resource,
  type: string,
  aliases: ReadonlyMap<string, string>
): Resource {
  const names = liveMembers[type] ?? []
  const result = over(recorded, names === all ? shown : picked(shown, names)) as Resource
  if (!Array.isArray(recorded.Members) || !Array.isArray(shown.Members)) return result
  const here = new Set(shown.Members.map(linkIn))
  const isThere = (path = '') =>
    !isStored(type.replace(/Collection$/, ''), path, aliases) || here.has(aliases.get(path))
  const members = recorded.Members.filter((member) => isThere(linkIn(member)))
  const known = new Set(members.map(linkIn).flatMap((path) => (path ? [path, aliases.get(path)] : [])))
  // A machine has the logs that it had when it was recorded.
  const isWhole = type === 'LogServiceCollection' && members.length > 0
  const more = isWhole ? [] : shown.Members.filter((member) => !known.has(linkIn(member)))
  return { ...result, Members: [...members, ...more] }
}

/** Whether the service was given what was recorded at a path, so that it is gone when the service has it no longer. */
export function isStored(type: string, path: string, aliases: ReadonlyMap<string, string>): boolean {
  return (type === 'Certificate' || type === 'Signature') && aliases.has(path)
}

/** These members of a resource, as far as it has them. */
function picked(resource: Resource, names: readonly string[]): Resource {
  const members = names.flatMap((name): [string, unknown][] => {
    const [outer = '', inner] = name.split('/')
    const value = within(resource, name.split('/'))
    return value === undefined ? [] : [[outer, inner === undefined ? value : { [inner]: value }]]
  })
  return Object.fromEntries(members)
}

/** A value over another one, member by member. Links stay what they were: what they lead to is served there. */
function over(recorded: unknown, live: unknown): unknown {
  if (!isObject(recorded) || !isObject(live)) return live
  if (Object.keys(live).length === 1 && linkIn(live) !== undefined && linkIn(recorded) !== undefined) return recorded
  const changed = Object.entries(live)
    .filter(([name, value]) => value !== undefined && !(kept.has(name) && Object.hasOwn(recorded, name)))
    .map(([name, value]) => [name, Object.hasOwn(recorded, name) ? over(recorded[name], value) : value])
  return { ...recorded, ...Object.fromEntries(changed) }
}

/** Whether the service or the recording has what is at a path. */
export function sourceOf(type: string, path: string, aliases: ReadonlyMap<string, string>): 'live' | 'recorded' {
  return isLive(type) && aliases.has(pathOf(path)) ? 'live' : 'recorded'
}
