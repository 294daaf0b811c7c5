import { createHash } from 'node:crypto'
import {
  type Board,
  type BoardBootOption,
  type BoardPcieDevice,
  type Individual,
  type MachineNumbers,
  withMachine
} from '#data/board'
import { type Group, places } from '#data/fleet'

/** Each part of an identity that a group's own may replace. */
type Templates = { readonly [part in 'serialNumber' | 'macPrefix' | 'hostName']: string }

const defaults: Templates = { serialNumber: '{board}-{n:5}', macPrefix: '02:4D:4E', hostName: 'bmc-{n:5}' }

/** A template with its places filled in. */
function filled(template: string, number: number, board: string): string {
  return template.replace(places, (_, name: string, width = '0') =>
    name === 'board' ? board : number.toString(name === 'x' ? 16 : 10).padStart(Number(width), '0')
  )
}

/** A UUID that a seed, a number and a name decide (RFC 9562, version 8). */
function madeUuid(seed: number, number: number, name: string): string {
  const digits = createHash('sha256').update(`${seed}/${number}/${name}`).digest('hex').slice(0, 32)
  const variant = ((Number.parseInt(digits[16]!, 16) & 3) | 8).toString(16)
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, variant + digits.slice(17, 20)]
  return [...parts, digits.slice(20)].join('-')
}

/** A controller has so many addresses at least. */
const leastEach = 16

/** Addresses whose first half is the same. */
const addressesAll = 2 ** 24

/** The pattern of the controllers of a group. */
export interface Kind {
  readonly board: Board
  readonly group: Group
  /** The place of each address among those of a controller, by its hex digits. */
  readonly places: ReadonlyMap<string, number>
  /** How many addresses a controller has. */
  readonly addresses: number
  readonly numbers: MachineNumbers
}

/** The identifiers in a recording, beside its board. */
interface Recorded {
  /** Addresses of the machine: hex digits. */
  addresses(): readonly string[]
  numbers(): MachineNumbers
}

export function kindOf(board: Board, group: Group, recorded?: Recorded): Kind {
  const own = [
    ...Object.values(board.managers).flatMap(({ ethernetInterfaces }) =>
      Object.values(ethernetInterfaces).map(({ port }) => String(port.mac ?? ''))
    ),
    ...Object.values(board.systems).flatMap(({ ethernetInterfaces }) =>
      Object.values(ethernetInterfaces).map(({ mac }) => mac)
    ),
    ...Object.values(board.chassis).flatMap(({ enclosure }) => enclosure?.onboardAdministrator.mac ?? []),
    ...Object.values(board.chassis).flatMap(({ pcieDevices }) => worldWideNames(pcieDevices))
  ].map(digitsOf)
  const places = new Map<string, number>()
  own.forEach((each, place) => {
    if (!places.has(each)) places.set(each, place)
  })
  let addresses = own.length
  for (const each of recorded?.addresses() ?? []) if (!places.has(each)) places.set(each, addresses++)
  const numbers = recorded?.numbers() ?? { serviceTags: [], serialNumbers: [] }
  return { board, group, places, addresses, numbers }
}

/** How many addresses each controller of a fleet has, so that no two have one in common. */
export function addressesEach(kinds: readonly Kind[]): number {
  return Math.max(leastEach, ...kinds.map(({ addresses }) => addresses))
}

/** The highest number of a controller whose addresses are its own. */
export const lastWithAddresses = (each: number) => Math.floor(addressesAll / each) - 1

/** Of the Fibre Channel ports of cards. */
function worldWideNames(devices: { readonly [id: string]: BoardPcieDevice }): string[] {
  return Object.values(devices)
    .flatMap(({ ports = {} }) => Object.values(ports))
    .flatMap(({ fibreChannel }) => (fibreChannel ? [fibreChannel.wwnn, fibreChannel.wwpn] : []))
}

const digitsOf = (mac: string) => mac.replaceAll(':', '').toUpperCase()

/** Which one of many controllers it is. */
export interface Which {
  readonly seed: number
  readonly number: number
  /** How many addresses each of them has. */
  readonly addresses: number
  /** The address of the controller, if it has its own. */
  readonly address: string | undefined
  /** A DHCP server gave it this address. */
  readonly isLeased?: boolean
  /** The port of a switch that it is connected to, in place of the board's. */
  readonly neighbour?: { readonly mac: string; readonly port: string; readonly name: string } | undefined
}

/** A service tag that no other controller has: the number in base 36, moved so far that those near it are others too. */
function movedTag(own: string, number: number): string {
  const all = 36 ** own.length
  const moved = (Number.parseInt(own, 36) + number * Math.floor(all / 2 ** 20)) % all
  return moved.toString(36).toUpperCase().padStart(own.length, '0')
}

/** The host name of a controller's first manager. */
export function hostNameOf({ managers }: Board, { identity }: Group, number: number): string {
  const [manager] = Object.values(managers)
  return filled(identity?.hostName ?? defaults.hostName, number, manager?.hostName ?? '')
}

/**
 * The board of one of many controllers: what tells it from the others is its own, all else is the very same objects,
 * since thousands of boards are in memory; `individual` says what becomes of the numbers in these.
 */
export function boardOf(
  { board, group, places, numbers }: Kind,
  { seed, number, addresses, address, isLeased = false, neighbour }: Which
): Board {
  const { uuid, systemName, assetTag, manufacturer, model } = group.identity ?? {}
  const product = { ...(manufacturer !== undefined && { manufacturer }), ...(model !== undefined && { model }) }
  const models = Object.values(board.systems).map((each) => each.model)
  const { serialNumber, macPrefix, hostName } = { ...defaults, ...(group.identity as Partial<Templates>) }
  const low = (place: number) => (number * addresses + place).toString(16).toUpperCase().padStart(6, '0')
  let place = 0
  const mac = () => [macPrefix, ...low(place++).match(/../g)!].join(':')
  const serial = (own: string) => filled(serialNumber, number, own)
  const individualAddress = (own: string) => {
    const at = places.get(own)
    if (at === undefined) return own
    return (own.length === 12 ? digitsOf(macPrefix) : own.slice(0, -6)) + low(at)
  }
  const bootOption = (option: BoardBootOption) =>
    option.uefiDevicePath.includes('MAC(')
      ? { ...option, uefiDevicePath: option.uefiDevicePath.replace(/(?<=MAC\()\w{12}/, individualAddress) }
      : option
  const managers = mapped(board.managers, (manager, id) => ({
    ...manager,
    uuid: madeUuid(seed, number, `manager/${id}`),
    serviceEntryPointUuid: madeUuid(seed, number, `service/${id}`),
    hostName: filled(hostName, number, manager.hostName),
    ethernetInterfaces: mapped(manager.ethernetInterfaces, (each) => ({
      ...each,
      port: {
        ...each.port,
        mac: mac(),
        ...ipAt(address, isLeased ? 'DHCP' : 'Static', each.port.lease),
        ...(neighbour && { neighbour })
      }
    }))
  }))
  const systems = mapped(board.systems, (system, id) => ({
    ...system,
    ...product,
    ...(systemName !== undefined && { name: filled(systemName, number, system.name) }),
    ...(assetTag !== undefined && { assetTag: filled(assetTag, number, system.assetTag ?? '') }),
    ...(system.serialNumber !== undefined && { serialNumber: serial(system.serialNumber) }),
    uuid: uuid === undefined ? madeUuid(seed, number, `system/${id}`) : filled(uuid, number, system.uuid ?? ''),
    ethernetInterfaces: mapped(system.ethernetInterfaces, (each) => ({ ...each, mac: mac() })),
    ...(system.bootOptions && { bootOptions: system.bootOptions.map(bootOption) })
  }))
  const chassis = mapped(board.chassis, (each, id) => ({
    ...each,
    ...(models.includes(each.model) && product),
    ...(each.serialNumber !== undefined && { serialNumber: serial(each.serialNumber) }),
    sensors: { seed: seedOf(seed, number), ...each.sensors },
    ...(each.enclosure && {
      enclosure: {
        ...each.enclosure,
        uuid: madeUuid(seed, number, `enclosure/${id}`),
        onboardAdministrator: {
          ...each.enclosure.onboardAdministrator,
          ...(each.enclosure.onboardAdministrator.mac && { mac: mac() })
        }
      }
    })
  }))
  const parts: readonly [Named, Named][] = [
    [board.systems, systems],
    [board.chassis, chassis],
    [board.managers, managers]
  ]
  /** The own number in place of one of a whole machine, which parts of it may have too. */
  const known = (own: string, name: 'serialNumber' | 'uuid') => {
    for (const [before, after] of parts)
      for (const id in before) if (before[id]?.[name]?.toLowerCase() === own.toLowerCase()) return after[id]?.[name]
    return undefined
  }
  const individual: Individual = {
    numbers,
    serviceTag: (own) => known(own, 'serialNumber') ?? movedTag(own, number),
    // Text without a digit is no number: "Unknown", "To be filled".
    serialNumber: (own) =>
      /\d/.test(own) ? (known(own, 'serialNumber') ?? `${own}-${filled('{n:5}', number, '')}`) : own,
    uuid: (own) => known(own, 'uuid') ?? madeUuid(seed, number, own.toLowerCase()),
    address: individualAddress
  }
  const { network = '' } = group.machine ?? {}
  return withMachine(
    { ...board, systems, chassis, managers, individual },
    { ...group.machine, network: filled(network, number, '') }
  )
}

interface Named {
  readonly [id: string]: { readonly serialNumber?: string | undefined; readonly uuid?: string | undefined | undefined }
}

/** Of simulated sensors: 32 bits, which differ in a fleet. */
const seedOf = (seed: number, number: number) => (Math.imul(seed, 0x9e3779b1) + number) | 0

/** The address options of a simulated port. @param lease the board's, which names servers as well */
function ipAt(address: string | undefined, origin: 'DHCP' | 'Static', lease: unknown): object {
  if (address === undefined) return {}
  if (address.includes(':')) return { ipv4: [], ipv6: [{ address, prefixLength: 128, origin: 'Static' }] }
  const own = { address, subnetMask: '255.255.255.255' }
  return {
    ipv4: [{ ...own, origin }],
    ipv6: [],
    ...(origin === 'DHCP' && { lease: { ...(lease as object | undefined), ...own } })
  }
}

/** Things by the same ids, each changed. */
export function mapped<T, U>(
  things: { readonly [id: string]: T },
  change: (thing: T, id: string) => U
): Record<string, U> {
  return Object.fromEntries(Object.entries(things).map(([id, thing]) => [id, change(thing, id)]))
}
