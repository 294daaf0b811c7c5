import { redfishVersion } from '#data/service-root'
import { utf8, utf8Text } from '#runtime/base/bytes.ts'

/**
 * Messages of SSDP as DSP0266 has them ("Discovering Redfish services", UPnP Device Architecture 1.1 clause 1 and annex A):
 * its groups, that of IPv6 for a link.
 */
export const groups = ['239.255.255.250', 'ff02::c'] as const

const [, minor] = redfishVersion.split('.')
const service = 'urn:dmtf-org:service:redfish-rest:1'
const serviceType = `${service}:${minor}`

/** The least that a client may believe an answer, in seconds. */
const shortestAge = 1800

/** The longest that an answer waits, in seconds: a client may ask for more. */
const longestWait = 5

/** The longest message that is read, in bytes. */
const longest = 1024

/** The announced data of a service. */
export interface Service {
  readonly uuid: string
  /** Of its root. */
  readonly url: string
  /** Seconds from one announcement to the next. */
  readonly interval: number
}

/**
 * Reads a search.
 *
 * @returns how long its answer may wait, in seconds; undefined for what is no search for a Redfish service
 */
export function readSearch(message: Uint8Array, uuid: string): number | undefined {
  if (message.length > longest) return undefined
  const [start, ...lines] = utf8Text(message).split('\r\n')
  if (start !== 'M-SEARCH * HTTP/1.1') return undefined
  const fields = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  if (fields.get('man') !== '"ssdp:discover"' || !isFor(fields.get('st') ?? '', uuid)) return undefined
  const wait = fields.get('mx') ?? '0'
  return /^\d{1,9}$/.test(wait) ? Math.min(Number(wait), longestWait) : undefined
}

/** Whether a search target means this service: that of an older minor version does. */
function isFor(target: string, uuid: string): boolean {
  const [, version] = /^urn:dmtf-org:service:redfish-rest:1(?::(\d{1,2}))?$/.exec(target) ?? []
  const isService = target === service || (version !== undefined && Number(version) <= Number(minor))
  return isService || target === 'ssdp:all' || target.toLowerCase() === `uuid:${uuid}`.toLowerCase()
}

/** The answer to a search. */
export function answer(own: Service): Uint8Array {
  return message('HTTP/1.1 200 OK', ['EXT:', ...cache(own), `ST: ${serviceType}`, ...identity(own)])
}

/**
 * Tells all who listen that the service is there, or is about to leave.
 *
 * @param host the group and its port, as in a URI
 */
export function notification(own: Service, host: string, isLeaving: boolean): Uint8Array {
  const kind = [`NT: ${serviceType}`, `NTS: ssdp:${isLeaving ? 'byebye' : 'alive'}`]
  const fields = isLeaving ? [usn(own)] : [...cache(own), ...identity(own)]
  return message('NOTIFY * HTTP/1.1', [`HOST: ${host}`, ...kind, ...fields])
}

const usn = ({ uuid }: Service) => `USN: uuid:${uuid}::${serviceType}`
const identity = (own: Service) => [usn(own), `AL: ${own.url}`]
const cache = ({ interval }: Service) => [`CACHE-CONTROL: max-age=${Math.max(shortestAge, 2 * interval)}`]
const message = (start: string, fields: readonly string[]) => utf8(`${[start, ...fields].join('\r\n')}\r\n\r\n`)
