import { bytes, hex, utf8, utf8Text } from '#runtime/base/bytes.ts'
import { ipBytes, ipText } from '#runtime/base/ip.ts'
import { type LldpCapability, type LldpId, type LldpIdKind, type LldpInformation, lldpCapabilities } from '../ports.ts'

/*
 * Frames of LLDP (IEEE 802.1AB-2016, 8 and 9). After the Ethernet header come elements of a type (7 bits), a length (9 bits)
 * and a value: first the chassis, the port and the time to live, in this order, at last the end.
 */

const header = 14
const etherType = 0x88cc
const nearestBridge = '0180c200000e'
/** The most bytes after the header, without those that this service would never send. */
const longest = 1500
const longestText = 255

const types = {
  end: 0,
  chassisId: 1,
  portId: 2,
  ttl: 3,
  portDescription: 4,
  systemName: 5,
  systemDescription: 6,
  capabilities: 7,
  managementAddress: 8
} as const

/** The kinds of names by their numbers: of a chassis, of a port. */
const chassisKinds: Kinds = {
  1: 'chassisComponent',
  2: 'interfaceAlias',
  3: 'portComponent',
  4: 'mac',
  5: 'network',
  6: 'interfaceName',
  7: 'local'
}
const portKinds: Kinds = {
  1: 'interfaceAlias',
  2: 'portComponent',
  3: 'mac',
  4: 'network',
  5: 'interfaceName',
  6: 'agentCircuit',
  7: 'local'
}

type Kinds = { readonly [number: number]: LldpIdKind }

/** Families of addresses (IANA, Address Family Numbers). */
const families = { 1: ['IPv4', 4], 2: ['IPv6', 16], 6: ['MAC', 6] } as const

/** A frame from a MAC address. Texts that are too long are cut off. */
export function lldpFrame(mac: string, told: LldpInformation): Uint8Array {
  const { chassisId, portId, ttl, portDescription, systemName, systemDescription, capabilities } = told
  const optional = (type: number, text: string | undefined) => (text ? element(type, cutOff(text)) : '')
  return bytes(
    [
      ...[nearestBridge, digits(mac), hex16(etherType)],
      element(types.chassisId, named(chassisKinds, chassisId)),
      element(types.portId, named(portKinds, portId)),
      element(types.ttl, hex16(ttl)),
      ...[optional(types.portDescription, portDescription), optional(types.systemName, systemName)],
      optional(types.systemDescription, systemDescription),
      capabilities ? element(types.capabilities, mask(capabilities.able) + mask(capabilities.enabled)) : '',
      ...told.managementAddresses.map(({ family, address }) =>
        element(types.managementAddress, place(family, address))
      ),
      hex16(types.end)
    ].join('')
  )
}

function element(type: number, value: string): string {
  return hex16((type << 9) | (value.length / 2)) + value
}

const hex16 = (value: number) => value.toString(16).padStart(4, '0')
const hex8 = (value: number) => value.toString(16).padStart(2, '0')
const digits = (mac: string) => mac.replaceAll(':', '').toLowerCase()

function cutOff(text: string): string {
  let kept = text
  while (utf8(kept).length > longestText) kept = kept.slice(0, -1)
  return hex(utf8(kept))
}

function named(kinds: Kinds, { kind, value }: LldpId): string {
  const number = Object.keys(kinds).find((each) => kinds[Number(each)] === kind)
  return hex8(Number(number)) + (kind === 'mac' ? digits(value) : cutOff(value))
}

function mask(capabilities: readonly LldpCapability[]): string {
  return hex16(capabilities.reduce((so, each) => so | (1 << lldpCapabilities.indexOf(each)), 0))
}

/** An address, for an interface whose number is unknown, without an object identifier. */
function place(family: 'IPv4' | 'IPv6' | 'MAC', address: string): string {
  const number = family === 'IPv4' ? 1 : family === 'IPv6' ? 2 : 6
  const value = family === 'MAC' ? digits(address) : hex(Uint8Array.from(ipBytes(address) ?? []))
  return `${hex8(1 + value.length / 2)}${hex8(number)}${value}${hex8(1)}00000000${hex8(0)}`
}

/**
 * Reads a frame. Malformed optional elements and unknown ones are ignored.
 *
 * @returns undefined for a frame of another protocol, and for one that IEEE 802.1AB has a station discard: mandatory
 *   elements that are missing, repeated, out of order or malformed, or an element that is longer than the frame
 */
export function readLldpFrame(frame: Uint8Array): LldpInformation | undefined {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  if (frame.length < header || frame.length > header + longest || view.getUint16(12) !== etherType) return undefined
  const found: { -readonly [K in keyof LldpInformation]?: LldpInformation[K] | undefined } = {}
  const managementAddresses: LldpInformation['managementAddresses'][number][] = []
  let count = 0
  for (let at = header; at < frame.length; count++) {
    if (at + 2 > frame.length) return undefined
    const [type, length] = [view.getUint8(at) >> 1, view.getUint16(at) & 0x1ff]
    const value = frame.subarray(at + 2, at + 2 + length)
    if (value.length < length) return undefined
    at += 2 + length
    if (count < mandatory.length ? type !== mandatory[count] : type !== types.end && mandatory.includes(type))
      return undefined
    if (type === types.end) break
    if (type === types.chassisId) found.chassisId = readId(chassisKinds, value)
    else if (type === types.portId) found.portId = readId(portKinds, value)
    else if (type === types.ttl && length >= 2) found.ttl = ((value[0] ?? 0) << 8) | (value[1] ?? 0)
    else if (type === types.managementAddress) managementAddresses.push(...readPlace(value))
    else if (type === types.capabilities && length === 4) found.capabilities ??= readCapabilities(value)
    else {
      const name = texts[type]
      if (name !== undefined && length <= longestText) found[name] ??= textOf(value)
    }
  }
  const { chassisId, portId, ttl, ...rest } = found as Partial<LldpInformation>
  if (chassisId === undefined || portId === undefined || ttl === undefined) return undefined
  return { chassisId, portId, ttl, ...rest, managementAddresses: managementAddresses.slice(0, mostAddresses) }
}

const mandatory: readonly number[] = [types.chassisId, types.portId, types.ttl]

/** The most addresses of a station that are kept. */
const mostAddresses = 8

const texts: { readonly [type: number]: 'portDescription' | 'systemName' | 'systemDescription' } = {
  [types.portDescription]: 'portDescription',
  [types.systemName]: 'systemName',
  [types.systemDescription]: 'systemDescription'
}

function readId(kinds: Kinds, value: Uint8Array): LldpId | undefined {
  const [kind, rest] = [kinds[value[0] ?? 0], value.subarray(1)]
  if (kind === undefined || rest.length === 0 || rest.length > longestText) return undefined
  if (kind === 'mac') return rest.length === 6 ? { kind, value: macText(rest) } : undefined
  if (kind !== 'network') return { kind, value: textOf(rest) }
  const address = readAddress(rest)
  return { kind, value: address?.address ?? hex(rest) }
}

/** An address after the number of its family. */
function readAddress(value: Uint8Array): LldpInformation['managementAddresses'][number] | undefined {
  const [family, length] = families[value[0] as keyof typeof families] ?? []
  const address = value.subarray(1)
  if (family === undefined || address.length !== length) return undefined
  return { family, address: family === 'MAC' ? macText(address) : ipText([...address]) }
}

function readPlace(value: Uint8Array): LldpInformation['managementAddresses'][number][] {
  const [length = 0] = value
  // After the address: the kind and the number of the interface, and the length of an object identifier.
  if (length < 2 || value.length < 1 + length + 6) return []
  return [readAddress(value.subarray(1, 1 + length)) ?? []].flat()
}

function readCapabilities(value: Uint8Array) {
  const named = (bits: number) => lldpCapabilities.filter((_, bit) => bits & (1 << bit))
  return { able: named(value[1] ?? 0), enabled: named(value[3] ?? 0) }
}

const macText = (mac: Uint8Array) =>
  hex(mac)
    .toUpperCase()
    .replace(/..(?=.)/g, '$&:')

/** The value as text; in hex if it is not UTF-8, or has characters that cannot be printed. */
function textOf(value: Uint8Array): string {
  const text = utf8Text(value).replace(/\0+$/, '')
  const isText = (each: string) => (each >= ' ' || '\r\n\t'.includes(each)) && each !== '\x7f' && each !== '\uFFFD'
  return [...text].every(isText) ? text : hex(value)
}
