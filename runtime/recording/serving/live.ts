import { isObject, linkIn, linksIn, pathOf, type Resource, within } from '../resources.ts'

/** All members that the service has of a resource. */
const all = 'all'

type Members = readonly string[] | typeof all

/**
 * The members of recorded resources that the service shows itself from the start, by types and by what changes them;
 * with a slash, one of a member's members. Of other types it shows none. Other members of these types it shows once a
 * client has changed them.
 */
const liveMembers: { readonly [type: string]: { readonly [cause: string]: Members } } = {
  ServiceRoot: {
    services: [
      ...['AccountService', 'CertificateService', 'EventService', 'Links', 'ProtocolFeaturesSupported', 'Registries'],
      ...['SessionService', 'Tasks', 'TelemetryService', 'UpdateService']
    ]
  },
  ComputerSystem: {
    power: ['PowerState', 'Status/State', 'BootProgress'],
    boot: ['Boot'],
    BIOS: ['Bios', 'SecureBoot'],
    indicators: ['IndicatorLED', 'LocationIndicatorActive'],
    logs: ['LogServices'],
    consoles: ['SerialConsole/WebSocket'],
    actions: ['Actions']
  },
  Chassis: { indicators: ['IndicatorLED', 'LocationIndicatorActive'], power: ['PowerState'] },
  Manager: {
    time: ['DateTime', 'DateTimeLocalOffset'],
    network: ['EthernetInterfaces', 'NetworkProtocol'],
    logs: ['LogServices'],
    media: ['VirtualMedia'],
    actions: ['Actions']
  },
  AccountService: {},
  Bios: { BIOS: ['@Redfish.Settings', 'Actions', 'AttributeRegistry', 'Attributes'] },
  BootOption: {},
  CertificateLocations: { certificates: ['Links'] },
  CertificateService: { actions: ['Actions'] },
  EthernetInterface: { network: ['HostName', 'FQDN'] },
  EventService: { events: ['Status/State'], actions: ['Actions'] },
  LogService: { time: ['DateTime', 'DateTimeLocalOffset'], actions: ['Actions'] },
  ManagerNetworkProtocol: { network: ['HostName', 'FQDN'] },
  Role: { accounts: ['AssignedPrivileges'] },
  SecureBoot: { BIOS: ['SecureBootCurrentBoot', 'SecureBootEnable', 'SecureBootMode'], actions: ['Actions'] },
  SessionService: { sessions: ['Sessions'] },
  TaskService: { time: ['DateTime'] },
  TelemetryService: {},
  UpdateService: { actions: ['Actions'] },
  VirtualMedia: {
    media: [
      ...['ConnectedVia', 'Image', 'ImageName', 'Inserted', 'TransferMethod', 'TransferProtocolType'],
      ...['VerifyCertificate', 'WriteProtected']
    ],
    actions: ['Actions']
  },
  ...wholly('accounts', ['ManagerAccount'], ['Role']),
  ...wholly('BIOS', ['SecureBootDatabase', 'Signature']),
  ...wholly('boot', [], ['BootOption']),
  ...wholly('certificates', ['Certificate']),
  ...wholly('events', ['EventDestination']),
  ...wholly('logs', ['LogEntry'], ['LogService']),
  ...wholly('media', [], ['VirtualMedia']),
  ...wholly('network', [], ['EthernetInterface']),
  ...wholly('registries', ['MessageRegistryFile']),
  ...wholly('sessions', ['Session']),
  ...wholly('tasks', ['Task']),
  ...wholly('telemetry', ['MetricDefinition', 'MetricReport', 'MetricReportDefinition']),
  ...wholly('updates', ['SoftwareInventory'])
}

/** Types of which all members are live, and those of which only the collections are. */
function wholly(cause: string, types: readonly string[], collections: readonly string[] = []) {
  const named = [...types, ...[...types, ...collections].map((type) => `${type}Collection`)]
  return Object.fromEntries(named.map((type) => [type, { [cause]: all }]))
}

function membersOf(type: string): Members {
  const groups = Object.values(liveMembers[type] ?? {})
  return groups.includes(all) ? all : groups.flat()
}

/**
 * The cause of a difference between what the service shows and what was recorded; undefined if it shows none there.
 *
 * @param path of the member, with slashes
 * @param isAdded whether nothing was recorded there
 */
export function causeOf(type: string, path: string, isAdded: boolean): string | undefined {
  const isWithin = (name: string) => path === name || path.startsWith(`${name}/`)
  const live = Object.entries(liveMembers[type] ?? {}).find(([, names]) => names === all || names.some(isWithin))
  if (isAdded && path.endsWith('@odata.count')) return 'added'
  if (live !== undefined || !isAdded || !isLive(type)) return live?.[0]
  return addedMembers[type]?.some(isWithin) === false ? undefined : 'added'
}

/** The members that the service adds where nothing was recorded of them, by types; of other types all. */
const addedMembers: { readonly [type: string]: readonly string[] } = {
  ServiceRoot: ['UUID'],
  ComputerSystem: ['AssetTag', 'SerialConsole', 'SerialNumber', 'UUID'],
  Chassis: ['AssetTag', 'SerialNumber'],
  Manager: ['ServiceEntryPointUUID', 'UUID'],
  Bios: []
}

/** Of resources of these types the service shows all members after any change: one changes others. */
const changedAsWhole = new Set(['EthernetInterface'])

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
 * @param set the members that clients have changed, with slashes
 * @param aliases see `aliasesOf`
 */
export function withLive(
  recorded: Resource,
  shown: Resource,
  type: string,
  set: readonly string[],
  aliases: ReadonlyMap<string, string>
): Resource {
  const isChanged = set.length > 0 && changedAsWhole.has(type)
  const names = isChanged ? all : membersOf(type)
  // The power of a chassis is that of its system.
  const isAlone = type === 'Chassis' && linksIn(within(shown, ['Links', 'ComputerSystems'])).length === 0
  const own = isAlone ? without(shown, 'PowerState') : shown
  const live = names === all ? shown : seen(picked(own, [...names, ...set]))
  const added = addedMembers[type]
  const result = filled(over(recorded, live) as Resource, added === undefined ? shown : picked(shown, added))
  if (!Array.isArray(recorded.Members) || !Array.isArray(shown.Members)) return result
  const here = new Set(shown.Members.map(linkIn))
  const isThere = (path = '') =>
    !isStored(type.replace(/Collection$/, ''), path, aliases) || here.has(aliases.get(path))
  const members = recorded.Members.filter((member) => isThere(linkIn(member)))
  const known = new Set(members.map(linkIn).flatMap((path) => (path ? [path, aliases.get(path)] : [])))
  // A machine has the logs and drives that it had when it was recorded.
  const isWhole = /^(LogService|VirtualMedia)Collection$/.test(type) && members.length > 0
  const more = isWhole ? [] : shown.Members.filter((member) => !known.has(linkIn(member)))
  return { ...result, Members: [...members, ...more] }
}

function without(resource: Resource, name: string): Resource {
  const { [name]: _, ...others } = resource
  return others
}

/** Without a progress of the boot of a host that was on already when the service came. */
function seen({ BootProgress: progress, ...others }: Resource): Resource {
  const isUnseen =
    others.PowerState === 'On' && [null, 'None'].includes(within(progress, ['LastState']) as string | null)
  return progress === undefined || isUnseen ? others : { ...others, BootProgress: progress }
}

/** Whether the service was given what was recorded at a path, so that it is gone when the service has it no longer. */
export function isStored(type: string, path: string, aliases: ReadonlyMap<string, string>): boolean {
  return (type === 'Certificate' || type === 'Signature') && aliases.has(path)
}

/** These members of a resource, as far as it has them. */
function picked(resource: Resource, names: readonly string[]): Resource {
  return names.reduce<Resource>((result, name) => {
    const path = name.split('/')
    const value = within(resource, path)
    return value === undefined ? result : (filled(result, nested(path, value)) as Resource)
  }, {})
}

const nested = (path: readonly string[], value: unknown): Resource =>
  path.toReversed().reduce<unknown>((inner, name) => ({ [name]: inner }), value) as Resource

/** A value over another one, member by member. Links stay what they were: what they lead to is served there. */
function over(recorded: unknown, live: unknown): unknown {
  if (!isObject(recorded) || !isObject(live)) return live
  if (Object.keys(live).length === 1 && linkIn(live) !== undefined && linkIn(recorded) !== undefined) return recorded
  const stays = (name: string) => kept.has(name) || name.endsWith('@Redfish.AllowableValues')
  const changed = Object.entries(live)
    .filter(([name, value]) => value !== undefined && !(stays(name) && Object.hasOwn(recorded, name)))
    .map(([name, value]) => [name, Object.hasOwn(recorded, name) ? over(recorded[name], value) : value])
  return { ...recorded, ...Object.fromEntries(changed) }
}

/** A resource with members of another that it does not have, within its members as well. */
function filled(resource: Resource, more: Resource): Resource {
  const missing = Object.entries(more).flatMap(([name, value]): [string, unknown][] => {
    if (!Object.hasOwn(resource, name)) return value === undefined ? [] : [[name, value]]
    const present = resource[name]
    return isObject(present) && isObject(value) ? [[name, filled(present, value)]] : []
  })
  return { ...resource, ...Object.fromEntries(missing) }
}

/** Whether the service or the recording has what is at a path. */
export function sourceOf(type: string, path: string, aliases: ReadonlyMap<string, string>): 'live' | 'recorded' {
  return isLive(type) && aliases.has(pathOf(path)) ? 'live' : 'recorded'
}
