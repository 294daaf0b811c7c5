import * as der from '#runtime/base/der.ts'
import { ipBytes } from '#runtime/base/ip.ts'

/** The attributes of a subject's name in certificates and requests; each is optional. */
export interface DistinguishedName {
  /** Two letters (ISO 3166). */
  readonly country?: string | undefined
  readonly state?: string | undefined
  readonly city?: string | undefined
  readonly organization?: string | undefined
  readonly organizationalUnit?: string | undefined
  /** 1 to 64 characters (RFC 5280, ub-common-name). */
  readonly commonName: string
  readonly email?: string | undefined
}

/** The names that clients may use: host names in ASCII, IPv4 and IPv6 addresses in their usual text form. */
export interface AlternativeNames {
  readonly dns: readonly string[]
  readonly ip: readonly string[]
}

const printableString = 0x13
const ia5String = 0x16

const ascii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

/** A Name (RFC 5280, section 4.1.2.4). @throws RangeError for what it cannot hold */
export function encodeName(name: DistinguishedName): Uint8Array {
  const { country, state, city, organization, organizationalUnit, commonName, email } = name
  if (commonName.length < 1 || commonName.length > 64) throw new RangeError('a common name has 1 to 64 characters')
  if (country !== undefined && !/^[A-Za-z]{2}$/.test(country)) throw new RangeError('a country has 2 letters')
  if (email !== undefined && !/^[!-~]{1,255}$/.test(email)) throw new RangeError('not an e-mail address')
  const attribute = (type: string, value: Uint8Array | undefined) =>
    value === undefined ? [] : [der.set(der.sequence(der.oid(type), value))]
  const plain = (type: string, value: string | undefined) =>
    attribute(type, value === undefined ? undefined : der.utf8String(value))
  return der.sequence(
    ...attribute('2.5.4.6', country === undefined ? undefined : der.element(printableString, ascii(country))),
    ...plain('2.5.4.8', state),
    ...plain('2.5.4.7', city),
    ...plain('2.5.4.10', organization),
    ...plain('2.5.4.11', organizationalUnit),
    ...plain('2.5.4.3', commonName),
    ...attribute('1.2.840.113549.1.9.1', email === undefined ? undefined : der.element(ia5String, ascii(email)))
  )
}

/** GeneralNames (RFC 5280, section 4.2.1.6). @throws RangeError for what is neither a host name nor an address */
export function encodeAlternativeNames({ dns, ip }: AlternativeNames): Uint8Array {
  return der.sequence(...dns.map(dnsName), ...ip.map(ipAddress))
}

/** Names as clients give them, each as what it looks like. */
export function sortAlternativeNames(names: readonly string[]): AlternativeNames {
  const isAddress = (name: string) => name.includes(':') || ipBytes(name) !== undefined
  return { dns: names.filter((name) => !isAddress(name)), ip: names.filter(isAddress) }
}

function dnsName(name: string): Uint8Array {
  if (!/^[!-~]{1,253}$/.test(name)) throw new RangeError(`not a host name: ${JSON.stringify(name)}`)
  return der.implicit(2, ascii(name))
}

function ipAddress(text: string): Uint8Array {
  const bytes = ipBytes(text)
  if (!bytes) throw new RangeError(`not an IP address: ${JSON.stringify(text)}`)
  return der.implicit(7, Uint8Array.from(bytes))
}
