import { type LogOwner, logId, namesLog } from '#data/logs'
import { signatureId } from '#data/secure-boot'
import { uefiNames } from './boot-options.ts'
import { keyIn } from './keys.ts'
import {
  idOf,
  isObject,
  linkIn,
  linksIn,
  pathOf,
  type Resource,
  type Resources,
  textIn,
  typeOf,
  within
} from './resources.ts'

/** A resource that the service has at one place below another, and the resources that it leads to. */
interface Place {
  readonly to: string
  readonly from: Places
  /** Of a collection: the targets of its members. */
  readonly members?: Places
  readonly idHere?: IdHere
}

/**
 * The id by which the service knows a member of a collection; undefined if it does not know it.
 *
 * @param among the paths of all members
 */
type IdHere = (path: string, resources: Resources, among: readonly string[]) => string | undefined

/** By the member that leads there, with slashes between steps. */
interface Places {
  readonly [link: string]: Place
}

const to = (to: string, from: Places = {}): Place => ({ to, from })
const collection = (to: string, members: Places = {}, idHere: IdHere = idOf): Place => ({
  ...{ to, from: {}, members, idHere }
})

/** Of several boot options with one reference, the service has the first. */
const bootReference: IdHere = (path, resources, among) => uefiNames(resources, among).get(path)

const keyId: IdHere = (path, resources) => {
  const key = keyIn(resources.get(path))
  return key && signatureId(key.data)
}

/** The one log that the service has in such a place takes that of the first recorded one for events. */
function logs(owner: LogOwner): Place {
  const isForEvents = (log: Resource | undefined) => ['Event', 'Multiple'].includes(textIn(log, 'LogEntryType'))
  return collection('LogServices', { Entries: to('Entries') }, (path, resources, among) => {
    const place =
      among.find((each) => namesLog(owner, idOf(each))) ?? among.find((each) => isForEvents(resources.get(each)))
    return path === place ? logId(owner) : idOf(path)
  })
}

const firmware: Places = {
  FirmwareInventory: collection('FirmwareInventory'),
  SoftwareInventory: collection('SoftwareInventory')
}

const service: Places = {
  AccountService: to('AccountService', { Accounts: collection('Accounts'), Roles: collection('Roles') }),
  CertificateService: to('CertificateService', { CertificateLocations: to('CertificateLocations') }),
  EventService: to('EventService', { Subscriptions: collection('Subscriptions') }),
  SessionService: to('SessionService', { Sessions: collection('Sessions') }),
  Tasks: to('TaskService', { Tasks: collection('Tasks') }),
  TelemetryService: to('TelemetryService', {
    MetricDefinitions: collection('MetricDefinitions'),
    MetricReportDefinitions: collection('MetricReportDefinitions'),
    MetricReports: collection('MetricReports')
  }),
  UpdateService: to('UpdateService', firmware),
  Registries: collection('Registries'),
  Systems: collection('Systems', {
    Bios: to('Bios', { '@Redfish.Settings/SettingsObject': to('Settings') }),
    'Boot/BootOptions': collection('BootOptions', {}, bootReference),
    LogServices: logs('Systems'),
    SecureBoot: to('SecureBoot', {
      SecureBootDatabases: collection('SecureBootDatabases', {
        Certificates: collection('Certificates', {}, keyId),
        Signatures: collection('Signatures', {}, keyId)
      })
    })
  }),
  Chassis: collection('Chassis'),
  Managers: collection('Managers', {
    EthernetInterfaces: collection('EthernetInterfaces'),
    LogServices: logs('Managers'),
    NetworkProtocol: to('NetworkProtocol'),
    VirtualMedia: collection('VirtualMedia')
  })
}

/**
 * Where the service has what was recorded: other makers have some of it at other paths. Resources are known by the links
 * that lead to them, and actions by their names.
 *
 * @returns paths of the service by recorded paths, also where both are the same
 */
export function aliasesOf(resources: Resources): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>()
  const root = '/redfish/v1'
  const enter = (path: string | undefined, here: string, { from, members, idHere = idOf }: Omit<Place, 'to'>) => {
    const resource = path === undefined ? undefined : resources.get(path)
    if (path === undefined || resource === undefined || aliases.has(path)) return
    aliases.set(path, here)
    for (const [name, action] of Object.entries(isObject(resource.Actions) ? resource.Actions : {})) {
      const target = textIn(action, 'target')
      if (target !== '' && name.startsWith('#')) aliases.set(pathOf(target), `${here}/Actions/${name.slice(1)}`)
    }
    for (const [link, place] of Object.entries(from)) {
      enter(linkIn(within(resource, link.split('/'))), `${here}/${place.to}`, place)
    }
    if (members === undefined) return
    const among = linksIn(resource.Members)
    for (const member of among) {
      const id = idHere(member, resources, among)
      if (id !== undefined) enter(member, `${here}/${encodeURIComponent(id)}`, { from: members })
    }
  }
  enter(root, root, { from: service })
  // The drives of a system are those of its manager.
  const managers = linksIn(resources.get(linkIn(resources.get(root)?.Managers) ?? '')?.Members)
  for (const system of linksIn(resources.get(linkIn(resources.get(root)?.Systems) ?? '')?.Members)) {
    const named = linksIn(within(resources.get(system), ['Links', 'ManagedBy'])).find((each) => managers.includes(each))
    const manager = aliases.get(named ?? managers[0] ?? '')
    if (manager !== undefined)
      enter(linkIn(resources.get(system)?.VirtualMedia), `${manager}/VirtualMedia`, collection('VirtualMedia'))
  }
  const sessions = linkIn(within(resources.get(root), ['Links', 'Sessions']))
  if (sessions !== undefined) aliases.set(sessions, `${root}/SessionService/Sessions`)
  return aliases
}

/** The type by which the service knows a resource: makers give pending BIOS settings, which only a link tells, their own. */
export function typeAt(path: string, resource: Resource, aliases: ReadonlyMap<string, string>): string {
  return aliases.get(path)?.endsWith('/Bios/Settings') ? 'Bios' : typeOf(resource)
}
