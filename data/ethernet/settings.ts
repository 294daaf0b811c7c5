import type { Configuration } from '#data/configuration'
import type { HostNames, PortSettings, PortState } from '#hal/ports.ts'
import { ipBytes, ipText } from '#runtime/base/ip.ts'
import { type Message, MessageError, mergeArray, message, type State } from '#runtime/contract'
import { display, pointerToken, type Writable } from '#runtime/schema'
import { enabledMode, type ethernetInterface } from './ethernet.ts'
import type { Discovery } from './records.ts'

/** The settings of a port that a client asks for. */
export type PortWish = Writable<typeof ethernetInterface>

/** How long a change is on trial that may take the port away from the client who makes it, in seconds. */
export const trialTime = 60

/**
 * The settings of a port: those that clients have set, otherwise the machine's; undefined if unknown or read-only.
 * Members that older versions of the service did not store are those of the machine, too.
 */
export function portSettingsOf(state: State, key: string, { settings }: PortState): PortSettings | undefined {
  return settings && { ...settings, ...state.get('portSettings', key) }
}

/** The names of a manager. @param board as they leave the factory, and while those that it has are not known */
export function hostNamesOf(state: State, manager: string, board: HostNames): HostNames {
  const { hostName, domain } = state.get('hostNames', manager) ?? {}
  return { hostName: hostName ?? board.hostName, domain: domain ?? board.domain }
}

/** The factory defaults: no discovery. DSP0266 names the port and the TTL, RFC 6762 the other port. */
const hidden: Discovery = {
  ssdp: false,
  ssdpPort: 1900,
  notifyInterval: 600,
  notifyTtl: 2,
  mdns: false,
  mdnsPort: 5353
}

/** How clients find a manager. */
export function discoveryOf(state: State, manager: string): Discovery {
  return { ...hidden, ...state.get('discovery', manager) }
}

/** The port of HTTPS; 0 for one that the system chose. */
export function httpsPortOf(state: State, { port }: Pick<Configuration, 'port'>): number {
  return state.get('httpsPort', 'settings')?.port ?? port
}

/** A name with its domain. */
export function fqdnOf({ hostName, domain }: HostNames): string {
  return domain === '' ? hostName : `${hostName}.${domain}`
}

/**
 * The names of a manager after a change.
 *
 * @throws MessageError 400 when the two contradict each other, or a name is taken away
 */
export function namesAfter(present: HostNames, wish: Pick<PortWish, 'HostName' | 'FQDN'>): HostNames {
  const faults = new Faults()
  for (const name of ['HostName', 'FQDN'] as const)
    if (wish[name] === null) faults.add([name], message('Base.PropertyValueTypeError', 'null', name))
  const [first, ...domain] = wish.FQDN?.split('.') ?? []
  if (typeof wish.HostName === 'string' && first !== undefined && wish.HostName !== first)
    faults.add(['HostName'], message('Base.PropertyValueConflict', 'HostName', 'FQDN'))
  faults.end()
  const names = { ...present, ...(first !== undefined && { hostName: first, domain: domain.join('.') }) }
  return wish.HostName == null ? names : { ...names, hostName: wish.HostName }
}

/**
 * How a port is set up after a change.
 *
 * @throws MessageError 400 with every fault
 */
export function settingsAfter(present: PortSettings, wish: PortWish): PortSettings {
  const faults = new Faults()
  const { DHCPv4: dhcp = {}, DHCPv6: dhcp6 = {}, VLAN: vlan = {} } = wish
  checkPresence(present, wish, faults)
  const ipv4 = ipv4After(present, wish.IPv4StaticAddresses, faults)
  const ipv6 = ipv6After(present, wish.IPv6StaticAddresses, faults)
  const ipv6Gateway = ipv6GatewayAfter(present, wish.IPv6StaticDefaultGateways, faults)
  const nameServers = nameServersAfter(present, wish.StaticNameServers, faults)
  for (const name of ['InterfaceEnabled', 'MTUSize'] as const)
    if (wish[name] === null) faults.add([name], message('Base.PropertyValueTypeError', 'null', name))
  const mode = dhcp6.OperatingMode
  if (mode === null)
    faults.add(['DHCPv6', 'OperatingMode'], message('Base.PropertyValueTypeError', 'null', 'OperatingMode'))
  else if (mode !== undefined && mode !== 'Disabled' && mode !== enabledMode(present))
    faults.value(['DHCPv6', 'OperatingMode'], mode, 'Incorrect')
  faults.end()
  return {
    enabled: wish.InterfaceEnabled ?? present.enabled,
    mtu: wish.MTUSize ?? present.mtu,
    vlan: present.vlan && {
      ...present.vlan,
      enabled: vlan.VLANEnable ?? present.vlan.enabled,
      id: vlan.VLANId ?? present.vlan.id,
      priority: vlan.VLANPriority ?? present.vlan.priority
    },
    ...ipv4,
    dhcpv4: {
      enabled: dhcp.DHCPEnabled ?? present.dhcpv4.enabled,
      useDns: dhcp.UseDNSServers ?? present.dhcpv4.useDns,
      useDomain: dhcp.UseDomainName ?? present.dhcpv4.useDomain,
      useGateway: dhcp.UseGateway ?? present.dhcpv4.useGateway,
      useNtp: dhcp.UseNTPServers ?? present.dhcpv4.useNtp
    },
    ipv6,
    ipv6Gateway,
    dhcpv6: {
      enabled: mode === undefined ? present.dhcpv6.enabled : mode !== 'Disabled',
      useDns: dhcp6.UseDNSServers ?? present.dhcpv6.useDns,
      useDomain: dhcp6.UseDomainName ?? present.dhcpv6.useDomain,
      useNtp: dhcp6.UseNTPServers ?? present.dhcpv6.useNtp,
      addresses: present.dhcpv6.addresses
    },
    slaac: wish.StatelessAddressAutoConfig?.IPv6AutoConfigEnabled ?? present.slaac,
    nameServers
  }
}

/** Refuses properties that a port does not have. */
function checkPresence({ mtu, vlan, dhcpv4, dhcpv6 }: PortSettings, wish: PortWish, faults: Faults): void {
  const need = (path: Path, wanted: unknown, present: unknown) => {
    if (wanted !== undefined && present === undefined)
      faults.add(path, message('Base.PropertyUnknown', String(path.at(-1))))
  }
  need(['MTUSize'], wish.MTUSize, mtu)
  need(['VLAN'], wish.VLAN, vlan)
  if (vlan?.fixed && wish.VLAN !== undefined) faults.add(['VLAN'], message('Base.PropertyNotWritable', 'VLAN'))
  else if (vlan !== undefined) need(['VLAN', 'VLANPriority'], wish.VLAN?.VLANPriority, vlan.priority)
  need(['DHCPv4', 'UseGateway'], wish.DHCPv4?.UseGateway, dhcpv4.useGateway)
  for (const [name, { useDns, useDomain, useNtp }] of [
    ['DHCPv4', dhcpv4],
    ['DHCPv6', dhcpv6]
  ] as const) {
    need([name, 'UseDNSServers'], wish[name]?.UseDNSServers, useDns)
    need([name, 'UseDomainName'], wish[name]?.UseDomainName, useDomain)
    need([name, 'UseNTPServers'], wish[name]?.UseNTPServers, useNtp)
  }
}

/** The members of settings that others do not have so. */
export function differing(settings: PortSettings, others: PortSettings): Partial<PortSettings> {
  const isOther = ([name, value]: readonly [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(others[name as keyof PortSettings])
  return Object.fromEntries(Object.entries(settings).filter(isOther))
}

/** Whether a change may take a port away from a client that has come to an address of it. */
export function movesAddresses(before: PortSettings, after: PortSettings, address: string): boolean {
  const part = ({ enabled, mtu, vlan, ...rest }: PortSettings) => {
    const { ipv4, gateway, dhcpv4, ipv6, ipv6Gateway, slaac } = rest
    const own = address.includes(':') ? { ipv6, ipv6Gateway, slaac } : { ipv4, gateway, dhcpv4 }
    return JSON.stringify([enabled, mtu, vlan, own])
  }
  return part(before) !== part(after)
}

/** An address as ports show it: one of IPv4 that came as IPv6, or has a zone, is the same. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, '').replace(/%.*$/, '')
}

/** Faults of a body, each with a pointer to its property. */
class Faults {
  readonly #messages: Message[] = []

  add(path: readonly (string | number)[], fault: Message): void {
    const related = [['#', ...path.map((each) => pointerToken(String(each)))].join('/')]
    this.#messages.push({ ...fault, related })
  }

  /** A value of the right type, but of a wrong form or unfit for its purpose. */
  value(path: readonly (string | number)[], value: unknown, kind: 'Format' | 'Incorrect'): void {
    const name = String(path.findLast((each) => typeof each === 'string'))
    const shown = display(value, false)
    if (kind === 'Format') this.add(path, message('Base.PropertyValueFormatError', shown, name))
    else this.add(path, message('Base.PropertyValueIncorrect', name, shown))
  }

  get some(): boolean {
    return this.#messages.length > 0
  }

  /** @throws MessageError 400 if there are some */
  end(): void {
    if (this.some) throw new MessageError(400, this.#messages)
  }
}

type Path = readonly (string | number)[]

/** The value of an IPv4 address, from 0 to 2^32 - 1. */
const numberOf = (bytes: readonly number[]) => bytes.reduce((value, byte) => value * 256 + byte, 0)

/** Addresses of hosts (RFC 1122 3.2.1.3, RFC 1112): not of this network, the loopback, groups, or what is reserved. */
const isHost4 = ([first = 0]: readonly number[]) => first !== 0 && first !== 127 && first < 224

/** Not the unspecified one, the loopback, groups, or an address of IPv4 (RFC 4291 2.4, 2.5). */
function isHost6(bytes: readonly number[]): boolean {
  return bytes[0] !== 0xff && bytes.slice(0, 10).some((byte) => byte !== 0)
}

function readIpv4(path: Path, text: string, faults: Faults): number[] | undefined {
  const bytes = ipBytes(text)
  if (bytes?.length === 4 && isHost4(bytes)) return bytes
  faults.value(path, text, bytes?.length === 4 ? 'Incorrect' : 'Format')
  return undefined
}

function readIpv6(path: Path, text: string, faults: Faults): string | undefined {
  const bytes = text.includes('%') ? undefined : ipBytes(text)
  if (bytes?.length === 16 && isHost6(bytes)) return ipText(bytes)
  faults.value(path, text, bytes?.length === 16 ? 'Incorrect' : 'Format')
  return undefined
}

/** The length of the prefix that a mask says: 1 to 32; undefined if its ones are not its first bits. */
function prefixOf(mask: string): number | undefined {
  const bytes = ipBytes(mask)
  if (bytes?.length !== 4) return undefined
  const ones = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return /^1+0*$/.test(ones) ? ones.lastIndexOf('1') + 1 : undefined
}

type Ipv4Wish = PortWish['IPv4StaticAddresses']

function ipv4After({ ipv4, gateway }: PortSettings, wish: Ipv4Wish, faults: Faults) {
  if (wish === undefined) return { ipv4, gateway }
  const shown = ipv4.map(({ address, subnetMask }) => ({ Address: address, SubnetMask: subnetMask, Gateway: gateway }))
  const at = (index: number, name?: string) => ['IPv4StaticAddresses', index, ...(name === undefined ? [] : [name])]
  const wanted = mergeArray<(typeof wish)[number]>(shown, wish)
  const networks: { first: number; size: number }[] = []
  let way: string | null = null
  for (const [index, { Address, SubnetMask, Gateway }] of wanted.entries()) {
    for (const [name, value] of Object.entries({ Address, SubnetMask }))
      if (value === undefined) faults.add(at(index, name), message('Base.PropertyMissing', name))
    const address = Address === undefined ? undefined : readIpv4(at(index, 'Address'), Address, faults)
    const prefix = prefixOf(SubnetMask ?? '255.255.255.255')
    if (prefix === undefined) faults.value(at(index, 'SubnetMask'), SubnetMask, 'Incorrect')
    if (wanted.findIndex((each) => each.Address === Address) < index)
      faults.add(at(index, 'Address'), message('Base.PropertyValueConflict', 'Address', 'Address'))
    if (address !== undefined && prefix !== undefined) {
      const size = 2 ** (32 - prefix)
      const first = Math.floor(numberOf(address) / size) * size
      // RFC 3021: of two addresses, both are hosts.
      if (size > 2 && [first, first + size - 1].includes(numberOf(address)))
        faults.value(at(index, 'Address'), Address, 'Incorrect')
      networks.push({ first, size })
    }
    if (Gateway == null) continue
    if (way !== null && way !== Gateway)
      faults.add(at(index, 'Gateway'), message('Base.PropertyValueConflict', 'Gateway', 'Gateway'))
    way = Gateway
  }
  const index = wanted.findIndex(({ Gateway }) => Gateway != null)
  if (way !== null && !faults.some) {
    const bytes = readIpv4(at(index, 'Gateway'), way, faults)
    const value = bytes && numberOf(bytes)
    const reached = networks.some(({ first, size }) => value !== undefined && value >= first && value < first + size)
    if (value !== undefined && (!reached || wanted.some(({ Address }) => Address === way)))
      faults.value(at(index, 'Gateway'), way, 'Incorrect')
  }
  return {
    ipv4: wanted.map(({ Address = '', SubnetMask = '' }) => ({ address: plain(Address), subnetMask: SubnetMask })),
    gateway: way === null ? null : plain(way)
  }
}

/** Without zeros in front, which some programs take for octal. */
const plain = (ipv4: string) => ipText(ipBytes(ipv4) ?? [])

function ipv6After({ ipv6 }: PortSettings, wish: PortWish['IPv6StaticAddresses'], faults: Faults) {
  if (wish === undefined) return ipv6
  const shown = ipv6.map(({ address, prefixLength }) => ({ Address: address, PrefixLength: prefixLength }))
  const wanted = mergeArray<(typeof wish)[number]>(shown, wish)
  const after: { address: string; prefixLength: number }[] = []
  for (const [index, { Address, PrefixLength }] of wanted.entries()) {
    const at = (name: string) => ['IPv6StaticAddresses', index, name]
    for (const [name, value] of Object.entries({ Address, PrefixLength }))
      if (value === undefined) faults.add(at(name), message('Base.PropertyMissing', name))
    const address = Address === undefined ? undefined : readIpv6(at('Address'), Address, faults)
    if (after.some((each) => each.address === address))
      faults.add(at('Address'), message('Base.PropertyValueConflict', 'Address', 'Address'))
    after.push({ address: address ?? '', prefixLength: PrefixLength ?? 0 })
  }
  return after
}

function ipv6GatewayAfter(
  { ipv6Gateway }: PortSettings,
  wish: PortWish['IPv6StaticDefaultGateways'],
  faults: Faults
): string | null {
  if (wish === undefined) return ipv6Gateway
  const [wanted] = mergeArray<(typeof wish)[number]>(ipv6Gateway === null ? [] : [{ Address: ipv6Gateway }], wish)
  if (wanted === undefined) return null
  const path = ['IPv6StaticDefaultGateways', 0, 'Address']
  if (wanted.Address !== undefined) return readIpv6(path, wanted.Address, faults) ?? null
  faults.add(path, message('Base.PropertyMissing', 'Address'))
  return null
}

function nameServersAfter({ nameServers }: PortSettings, wish: PortWish['StaticNameServers'], faults: Faults) {
  if (wish === undefined) return nameServers
  return mergeArray(nameServers, wish).flatMap((text, index) => {
    const path = ['StaticNameServers', index]
    // Some clients keep an array's length with empty texts.
    if (text === '') return []
    if (text.includes(':')) return readIpv6(path, text, faults) ?? []
    const bytes = readIpv4(path, text, faults)
    return bytes === undefined ? [] : [ipText(bytes)]
  })
}
