import { attributeTypes } from '#data/bios'
import { type Board, type BoardManager, bootTargets, mediaTypes } from '#data/board'
import { secureBootDatabase } from '#data/secure-boot'
import { toBase64 } from '#runtime/base/bytes.ts'
import { formats } from '#runtime/schema'
import { bootOptionsIn, uefiNames } from '../boot-options.ts'
import { keysOf } from '../keys.ts'
import { idOf, isObject, linkIn, linksIn, type Resource, type Resources, textIn, typeOf, within } from '../resources.ts'
import { hostNamesOf, portOf } from './devices.ts'

const root = '/redfish/v1'

/** The members of a collection of the service root, with their paths. */
function membersOf(resources: Resources, collection: string): [path: string, resource: Resource][] {
  const path = linkIn(within(resources.get(root), [collection]))
  return linksIn(path && resources.get(path)?.Members).flatMap((each) => {
    const resource = resources.get(each)
    return resource === undefined ? [] : [[each, resource] as [string, Resource]]
  })
}

const ids = (links: unknown) => linksIn(links).map(idOf)

/**
 * The machine that the service simulates behind recorded resources: with their systems, chassis, managers and the names
 * of these, and the devices of another board. Of inventory and sensors it has nothing, since they are served as they
 * were recorded. Where no manager was recorded, it has that of the other board: the service itself.
 *
 * @param pattern a board with one system, chassis and manager, whose devices it takes
 * @param name of the board
 * @throws RangeError if there is no service root
 */
export function boardOf(resources: Resources, pattern: Board, name: string): Board {
  const [system] = Object.values(pattern.systems)
  const [chassis] = Object.values(pattern.chassis)
  const [[ownManager, manager]] = Object.entries(pattern.managers) as [[string, BoardManager]]
  const { port } = Object.values(manager.ethernetInterfaces)[0]!
  const managers = membersOf(resources, 'Managers')
  const everySystem = membersOf(resources, 'Systems').filter(([, each]) => typeOf(each) === 'ComputerSystem')
  const everyChassis = membersOf(resources, 'Chassis')
  const firstManager = managers[0] ? idOf(managers[0][0]) : ownManager
  if (!resources.has(root)) throw new RangeError(`there is no service root, ${root}`)
  const known = new Map([...everySystem, ...everyChassis, ...managers].map(([path]) => [idOf(path), path]))
  const only = (links: readonly string[], among: readonly [string, Resource][]) =>
    links.filter((id) => among.some(([path]) => path === known.get(id) || idOf(path) === id))
  const asset = (resource: Resource) => ({
    name: textIn(resource, 'Name') || textIn(resource, 'Id'),
    manufacturer: textIn(resource, 'Manufacturer'),
    model: textIn(resource, 'Model'),
    serialNumber: textIn(resource, 'SerialNumber'),
    sku: textIn(resource, 'SKU'),
    partNumber: textIn(resource, 'PartNumber'),
    assetTag: textIn(resource, 'AssetTag')
  })
  const systems = everySystem.map(([path, each]) => [
    idOf(path),
    {
      ...system!,
      ...asset(each),
      uuid: uuidIn(each, 'UUID') ?? system!.uuid,
      biosVersion: textIn(each, 'BiosVersion'),
      processors: {},
      memory: {},
      storage: {},
      ethernetInterfaces: {},
      biosDevices: [],
      chassis: only(ids(within(each, ['Links', 'Chassis'])), everyChassis),
      manager: only(ids(within(each, ['Links', 'ManagedBy'])), managers)[0] ?? firstManager,
      power: { ...system!.power, ...(each.PowerState === 'Off' && { initial: 'Off' }) },
      attributeRegistry: attributeRegistryOf(resources, path)?.id ?? system!.attributeRegistry,
      factoryKeys: factoryKeysOf(resources, path) ?? system!.factoryKeys,
      bootOptions: bootOptionsOf(resources, each) ?? system!.bootOptions,
      ...(bootsLegacy(each) && { legacyBoot: true })
    }
  ])
  const cases = everyChassis.map(([path, each]) => {
    const { containedBy: _, enclosure: __, ...devices } = chassis!
    const inventory = { temperatures: [], fans: [], loads: [], powerSupplies: [], pcieDevices: {}, pcieSlots: [] }
    const linked = {
      systems: only(ids(within(each, ['Links', 'ComputerSystems'])), everySystem),
      managers: only(ids(within(each, ['Links', 'ManagedBy'])), managers)
    }
    return [idOf(path), { ...devices, ...inventory, ...asset(each), ...linked, type: chassisType(each) }]
  })
  const { uuid: _, serviceEntryPointUuid: __, ...controller } = manager
  /** The drives of a manager, and of its systems. */
  const drivesOf = (path: string, resource: Resource) => [
    ...collected(resources, resource.VirtualMedia),
    ...everySystem.flatMap(([, each]) => {
      const manager = only(ids(within(each, ['Links', 'ManagedBy'])), managers)[0] ?? firstManager
      return manager === idOf(path) ? collected(resources, each.VirtualMedia) : []
    })
  ]
  const controllers = managers.map(([path, each]) => {
    const uuid = uuidIn(each, 'UUID')
    const entry = uuidIn(each, 'ServiceEntryPointUUID') ?? uuidIn(resources.get(root), 'UUID')
    return [
      idOf(path),
      {
        ...controller,
        name: textIn(each, 'Name'),
        model: textIn(each, 'Model'),
        ...hostNamesOf(resources, each),
        firmwareVersion: textIn(each, 'FirmwareVersion'),
        ...(uuid && { uuid }),
        ...(entry && { serviceEntryPointUuid: entry }),
        ethernetInterfaces: Object.fromEntries(
          collected(resources, each.EthernetInterfaces).map(([id, one]) => [
            id,
            { name: textIn(one, 'Name'), port: portOf(port, one) }
          ])
        ),
        virtualMedia: Object.fromEntries(
          drivesOf(path, each).map(([id, one]) => {
            const types = mediaTypes.filter((type) => Array.isArray(one.MediaTypes) && one.MediaTypes.includes(type))
            const drives = Object.values(manager.virtualMedia)
            const drive = drives.find((each) => types.every((type) => each.types.includes(type))) ?? drives[0]!
            return [id, { ...drive, name: textIn(one, 'Name'), types: types.length > 0 ? types : drive.types }]
          })
        ),
        systems: only(ids(within(each, ['Links', 'ManagerForServers'])), everySystem),
        chassis: only(ids(within(each, ['Links', 'ManagerForChassis'])), everyChassis)
      }
    ]
  })
  const everyId = (all: readonly [string, Resource][]) => all.map(([path]) => idOf(path))
  const own = [ownManager, { ...controller, systems: everyId(everySystem), chassis: everyId(everyChassis) }]
  const parts = [systems, cases, managers.length > 0 ? controllers : [own]].map((each) => Object.fromEntries(each))
  const { licenseKey, updateKey } = pattern
  return { name, licenseKey, updateKey, systems: parts[0], chassis: parts[1], managers: parts[2] } as Board
}

/** The members of a collection, by their ids. @param link to the collection */
function collected(resources: Resources, link: unknown): [id: string, resource: Resource][] {
  const path = linkIn(link)
  return linksIn(path && resources.get(path)?.Members).flatMap((each) => {
    const member = resources.get(each)
    return member === undefined ? [] : [[idOf(each), member] as [string, Resource]]
  })
}

function uuidIn(resource: unknown, name: string): string | undefined {
  const text = textIn(resource, name)
  return formats.uuid.test(text) ? text : undefined
}

function chassisType({ ChassisType: type }: Resource): 'RackMount' | 'Blade' | 'Enclosure' {
  return type === 'Blade' || type === 'Enclosure' ? type : 'RackMount'
}

function bootsLegacy({ Boot: boot }: Resource): boolean {
  const modes = within(boot, ['BootSourceOverrideMode@Redfish.AllowableValues'])
  return textIn(boot, 'BootSourceOverrideMode') === 'Legacy' || (Array.isArray(modes) && modes.includes('Legacy'))
}

/** Boot options with their UEFI names (`Boot####`); undefined without boot options. */
function bootOptionsOf(resources: Resources, system: Resource): Board['systems'][string]['bootOptions'] | undefined {
  const names = uefiNames(resources, bootOptionsIn(resources, system))
  const options = Array.from(names, ([path, reference], index) => {
    const option = resources.get(path)
    const displayName = textIn(option, 'DisplayName', reference)
    const alias = bootTargets.find((target) => target === textIn(option, 'Alias')) ?? 'None'
    const uefiDevicePath = textIn(option, 'UefiDevicePath')
    const device = { Cd: 'CD.Virtual', Pxe: 'NIC.Slot', UefiHttp: 'NIC.Slot' }[alias as string] ?? 'HD.Slot'
    return { reference, displayName, structuredName: `${device}.${index + 1}.1`, uefiDevicePath, alias }
  })
  return options.length === 0 ? undefined : options
}

/** The factory's copies of keys, for a board; undefined if none was recorded. */
function factoryKeysOf(resources: Resources, system: string): Record<string, string> | undefined {
  const keys = Object.entries(keysOf(resources, system)).filter(([id]) => secureBootDatabase(id)?.factory)
  return keys.length === 0 ? undefined : Object.fromEntries(keys.map(([id, lists]) => [id, toBase64(lists)]))
}

/** The paths of the systems. */
export function systemsOf(resources: Resources): string[] {
  return membersOf(resources, 'Systems').map(([path]) => path)
}

/** The paths of the managers. */
export function managersOf(resources: Resources): string[] {
  return membersOf(resources, 'Managers').map(([path]) => path)
}

/** The paths of the chassis. */
export function chassisOf(resources: Resources): string[] {
  return membersOf(resources, 'Chassis').map(([path]) => path)
}

/** The attribute registry of a system's BIOS with all members that the service reads, and the values that are set. */
export function attributeRegistryOf(resources: Resources, system: string) {
  const bios = resources.get(linkIn(resources.get(system)?.Bios) ?? '')
  const named = textIn(bios, 'AttributeRegistry')
  const id = named === '' ? `BiosAttributeRegistry.${idOf(system).replace(/[^\w.-]/g, '_')}` : named
  const recorded = [...resources.values()].find(
    (each) => typeOf(each) === 'AttributeRegistry' && textIn(each, 'Id') === id && isObject(each.RegistryEntries)
  )
  const attributes = isObject(bios?.Attributes) ? bios.Attributes : {}
  const registry = recorded ?? (isObject(bios?.Attributes) ? registryOf(id, attributes) : undefined)
  if (registry === undefined || !/^[\w.-]+$/.test(id)) return undefined
  const { Attributes, ...entries } = registry.RegistryEntries as Resource
  const whole = (Array.isArray(Attributes) ? Attributes : []).filter(isObject).flatMap((each, index) => {
    const name = textIn(each, 'AttributeName')
    if (name === '' || !(attributeTypes as readonly string[]).includes(textIn(each, 'Type'))) return []
    const { ValueExpression: expression, ...rest } = each
    const given = {
      ...{ DisplayName: name, HelpText: '', MenuPath: '.', DisplayOrder: index, ReadOnly: false, GrayOut: false },
      ...{ DefaultValue: attributes[name] ?? null },
      ...rest
    }
    return [isExpression(expression) ? { ...given, ValueExpression: expression } : given]
  })
  const RegistryEntries = { Menus: [], Dependencies: [], SupportedSystems: [], ...entries, Attributes: whole }
  return { id, registry: { ...registry, RegistryEntries }, attributes }
}

/** A registry of attributes of which only the values were recorded. */
function registryOf(id: string, attributes: Resource): Resource {
  const types: { readonly [type: string]: string } = { boolean: 'Boolean', number: 'Integer', string: 'String' }
  const Attributes = Object.entries(attributes).flatMap(([AttributeName, value]) =>
    Object.hasOwn(types, typeof value) ? [{ AttributeName, Type: types[typeof value] }] : []
  )
  return {
    '@odata.type': '#AttributeRegistry.v1_3_6.AttributeRegistry',
    ...{ Id: id, Name: 'BIOS attributes', Language: 'en', OwningEntity: '', RegistryVersion: '1.0.0' },
    RegistryEntries: { Attributes }
  }
}

function isExpression(text: unknown): boolean {
  try {
    return typeof text === 'string' && new RegExp(text, 'u') !== undefined
  } catch {
    return false
  }
}
