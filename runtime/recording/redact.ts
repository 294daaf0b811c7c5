import { isObject, type Resource, type Resources, typeOf } from './resources.ts'

/** Members whose values are secrets. */
const secret =
  /password|passphrase|secret|token|privatekey|communitystring|authorizationkey|encryptionkey|^authorization$/i

/** Members that say which machine it is, or where. */
const identity =
  /^(serialnumber|uuid|.*uuid|assettag|hostname|fqdn|domain.*|username|sku|servicetag|.*servicetag|chassisservicetag|nodeid|email.*|contact.*|location|postaladdress|certificatestring|durablename)$/i

/** Versions look like addresses. */
const version = /version|revision|release/i

/** Types whose resources are about persons and other machines: they are left out. */
const personal = /^(ManagerAccount|Session|EventDestination|Task|Job|LogEntry)$/

/** Collections of them are empty in a recording. */
export const isPersonal = (type: string) => personal.test(type.replace(/Collection$/, ''))

/** Six bytes and no more, with separators, or as UEFI writes them in device paths. */
export const mac =
  /(?<![\da-f]|[\da-f][:-])[\da-f]{2}([:-])[\da-f]{2}(?:\1[\da-f]{2}){4}(?![\da-f]|[:-][\da-f])|(?<=MAC\()[\da-f]{12}/gi
/** True for digits that stand for no address, or for all of them. */
export const isZero = (found: string) => /^[0:-]+$|^[f:-]+$/i.test(found)

const ipv4 = /(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])/g
const ipv6 = /(?<![\w:.])(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\w:.])/gi

/** Neither a time of the day, nor the bytes of a MAC address or a world-wide name (RFC 4291, 2.2). */
const isIpv6 = (text: string) =>
  /[\da-f]/i.test(text) && (text.includes('::') || text.split(':').length === 8) && !/^(..:){7}..$/.test(text)

/** Masks and addresses that are everybody's. */
const everybodys = /^(0\.0\.0\.0|127\.|255\.|[0:]+1?$)/

/**
 * Takes secrets out of resources, and puts addresses in place of addresses: the same for the same, from the ranges that
 * are for documentation and tests (RFC 2544, RFC 3849) and for local use (IEEE 802).
 *
 * @param more whether what tells one machine from others goes too: serial numbers, UUIDs, names
 */
export function redacted(resources: Resources, more: boolean): Resources {
  const known = new Map<string, string>()
  const kinds = new Map<string, number>()
  const another = (text: string, kind: string, make: (n: number) => string) => {
    const key = `${kind} ${text.toLowerCase()}`
    const found = known.get(key)
    if (found !== undefined) return found
    const number = (kinds.get(kind) ?? 0) + 1
    kinds.set(kind, number)
    const made = make(number)
    known.set(key, made)
    return made
  }
  const hex = (n: number) => n.toString(16).padStart(6, '0').toUpperCase()
  const macs = (text: string) =>
    text.replace(mac, (found, separator: string | undefined) =>
      isZero(found)
        ? found
        : another(found.replace(/[:-]/g, ''), 'mac', (n) => `020000${hex(n)}`)
            .match(/../g)!
            .join(separator ?? '')
    )
  const addresses = (text: string) =>
    text
      .replace(ipv4, (found) =>
        everybodys.test(found) ? found : another(found, 'ipv4', (n) => `198.18.${(n >> 8) & 255}.${n & 255}`)
      )
      .replace(ipv6, (found) =>
        isIpv6(found) && !everybodys.test(found) ? another(found, 'ipv6', (n) => `2001:db8::${n.toString(16)}`) : found
      )
  const replaced = (name: string, value: string) => {
    if (/uuid/i.test(name))
      return another(value, 'uuid', (n) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`)
    return another(value, name, (n) => `${name}-${n}`)
  }
  const clean = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') {
      if (secret.test(name) && !value.startsWith('/redfish/')) return null
      if (more && identity.test(name) && value !== '') return replaced(name, value)
      const local = macs(value)
      return version.test(name) || /^(@odata\.|target)/.test(name) ? local : addresses(local)
    }
    if (Array.isArray(value)) return value.map((each) => clean(each, name))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([own, each]) => [macs(own), clean(each, own)]))
  }
  const kept = [...resources].filter(([, resource]) => !personal.test(typeOf(resource)))
  return new Map(
    kept.map(([path, resource]) => [
      macs(path),
      typeOf(resource) === 'AttributeRegistry' ? resource : (clean(resource, '') as Resource)
    ])
  )
}
