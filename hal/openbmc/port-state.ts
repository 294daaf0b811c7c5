import { ipBytes, ipText, maskOf } from '#runtime/base/ip.ts'
import type { Properties } from '../dbus/mirror.ts'
import type { Value } from '../dbus/values.ts'
import type { Ipv4Address, Ipv6Address, PortSettings, PortState } from '../ports.ts'
import { kernelPort } from '../sysfs/ports.ts'
import { type Objects, wordOf } from './objects.ts'

const network = 'xyz.openbmc_project.Network'
export const ethernet = `${network}.EthernetInterface`
export const addressInterface = `${network}.IP`
export const dhcpInterface = `${network}.DHCPConfiguration`
const macInterface = `${network}.MACAddress`
const vlanInterface = `${network}.VLAN`

export const portStateInterfaces = [ethernet, macInterface, addressInterface, vlanInterface, dhcpInterface]

/** Of what any program can add: the most addresses of a port, and the most servers, that are read. */
const mostAddresses = 64
const mostServers = 16

/** The object of a network interface: a path has no dots. */
export const interfacePath = (device: string) => `/xyz/openbmc_project/network/${device.replace(/[^A-Za-z0-9]/g, '_')}`

/** The texts of a list of the bus. */
export function textsOf(value: Value | undefined): string[] {
  const texts = Array.isArray(value) ? value.filter((each) => typeof each === 'string' && each !== '') : []
  return texts.slice(0, mostServers)
}

/** The parts of an answer that are used: the members of settings, and the properties. */
export const used = [
  ['useDns', 'DNSEnabled'],
  ['useDomain', 'DomainEnabled'],
  ['useNtp', 'NTPEnabled']
] as const

/** `DHCPEnabled` without and with DHCPv6, where there are no properties for each of the two. */
export const dhcpWords = { none: [false, false], v4: [true, false], v6: [false, true], both: [true, true] } as const

/** Whether addresses come from DHCP: of IPv4, and of IPv6. */
export function dhcpOf(found: Properties | undefined): readonly [ipv4: boolean, ipv6: boolean] {
  if (found?.get('DHCP4') !== undefined) return [found.get('DHCP4') === true, found.get('DHCP6') === true]
  const word = wordOf(found?.get('DHCPEnabled')) ?? 'none'
  if (word === 'v4v6stateless') return [true, false]
  return dhcpWords[word as keyof typeof dhcpWords] ?? dhcpWords.none
}

export interface FoundAddress {
  /** Of its object. */
  readonly path: string
  /** In its usual form. */
  readonly address: string
  /** Of its prefix. */
  readonly length: number
  readonly isIpv6: boolean
  /** A word of the bus. */
  readonly origin: string | undefined
}

/** The addresses of a network interface, as they are known. */
export function addressesAt(objects: Objects, interfacePath: string): FoundAddress[] {
  const paths = objects.paths(addressInterface).filter((path) => path.startsWith(`${interfacePath}/`))
  return paths.slice(0, mostAddresses).flatMap((path) => {
    const found = objects.known(path, addressInterface)
    const [bytes, length] = [bytesOf(found?.get('Address')), numberIn(found, 'PrefixLength')]
    if (bytes === undefined || length === undefined || length > bytes.length * 8) return []
    const origin = wordOf(found?.get('Origin'))
    return [{ path, address: ipText(bytes), length, isIpv6: bytes.length === 16, origin }]
  })
}

/**
 * The state of a port: that of the kernel until the bus has told it, and as it was last while the network manager is away;
 * the settings are known only while it is there.
 */
export function portState(objects: Objects, device: string): PortState {
  const path = interfacePath(device)
  const found = objects.known(path, ethernet)
  if (found === undefined) return kernelPort(device)
  const addresses = addressesAt(objects, path)
  const ipv6Gateway = addressIn(found, 'DefaultGateway6')
  const [linkUp, speed, fullDuplex] = [found.get('LinkUp') === true, numberIn(found, 'Speed'), found.get('FullDuplex')]
  const mac = objects.known(path, macInterface)?.get('MACAddress')
  const servers = [...serversIn(found, 'StaticNameServers'), ...serversIn(found, 'Nameservers')]
  return {
    mac: typeof mac === 'string' && isMac(mac) ? mac.toUpperCase() : kernelPort(device).mac,
    linkUp,
    speed: linkUp && speed ? speed : undefined,
    fullDuplex: linkUp && typeof fullDuplex === 'boolean' ? fullDuplex : undefined,
    ipv4: addresses.flatMap((each) => ipv4Of(each, addressIn(found, 'DefaultGateway'))),
    ipv6: addresses.flatMap(ipv6Of),
    ...(ipv6Gateway && { ipv6Gateway }),
    nameServers: [...new Set(servers)],
    // Older versions have those of clients in this property.
    ntpServers: found.get('StaticNTPServers') !== undefined ? textsOf(found.get('NTPServers')) : [],
    ...(objects.properties(path, ethernet) && { settings: settingsOf(objects, path, found, addresses) })
  }
}

function ipv4Of({ address, length, isIpv6, origin }: FoundAddress, gateway: string | undefined): Ipv4Address[] {
  const as = origin === 'LinkLocal' ? 'IPv4LinkLocal' : origin === 'DHCP' ? 'DHCP' : 'Static'
  return isIpv6 ? [] : [{ address, subnetMask: maskOf(length), ...(gateway && { gateway }), origin: as }]
}

function ipv6Of({ address, length, isIpv6, origin }: FoundAddress): Ipv6Address[] {
  const as = origin === 'DHCP' ? 'DHCPv6' : origin === 'LinkLocal' || origin === 'SLAAC' ? origin : 'Static'
  return isIpv6 ? [{ address, prefixLength: length, origin: as }] : []
}

function settingsOf(
  objects: Objects,
  path: string,
  found: Properties,
  addresses: readonly FoundAddress[]
): PortSettings {
  const fixed = addresses.filter(({ origin }) => origin === 'Static')
  const ipv4 = fixed.filter(({ isIpv6 }) => !isIpv6)
  const [dhcpv4, dhcpv6] = dhcpOf(found)
  const [mtu, id] = [numberIn(found, 'MTU'), numberIn(objects.known(path, vlanInterface), 'Id')]
  const parts = (folder: string) => {
    const properties = objects.known(`${path}/${folder}`, dhcpInterface)
    const known = used.map(([name, property]) => [name, properties?.get(property)] as const)
    return Object.fromEntries(known.filter(([, value]) => typeof value === 'boolean'))
  }
  return {
    enabled: found.get('NICEnabled') !== false,
    ...(mtu !== undefined && { mtu }),
    ...(id !== undefined && { vlan: { enabled: true, id, fixed: true } }),
    ipv4: ipv4.map(({ address, length }) => ({ address, subnetMask: maskOf(length) })),
    // Without a static address it is that of DHCP.
    gateway: (ipv4.length > 0 && addressIn(found, 'DefaultGateway')) || null,
    dhcpv4: { enabled: dhcpv4, ...parts('dhcp4') },
    ipv6: fixed.flatMap(({ isIpv6, address, length }) => (isIpv6 ? [{ address, prefixLength: length }] : [])),
    ipv6Gateway: addressIn(found, 'DefaultGateway6') ?? null,
    dhcpv6: { enabled: dhcpv6, ...parts('dhcp6'), addresses: true },
    slaac: found.get('IPv6AcceptRA') === true,
    nameServers: serversIn(found, 'StaticNameServers')
  }
}

const isMac = (text: string) => /^[\dA-Fa-f]{2}(:[\dA-Fa-f]{2}){5}$/.test(text)

const bytesOf = (value: Value | undefined) => (typeof value === 'string' ? ipBytes(value) : undefined)

/** A whole number, of any size on the bus. */
function numberIn(found: Properties | undefined, property: string): number | undefined {
  const value = found?.get(property)
  const number = typeof value === 'bigint' ? Number(value) : value
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : undefined
}

/** An address in its usual form; undefined for none. */
function addressIn(found: Properties, property: string): string | undefined {
  const bytes = bytesOf(found.get(property))
  return bytes?.some((byte) => byte !== 0) ? ipText(bytes) : undefined
}

function serversIn(found: Properties, property: string): string[] {
  return textsOf(found.get(property)).flatMap((text) => {
    const bytes = ipBytes(text)
    return bytes === undefined ? [] : [ipText(bytes)]
  })
}
