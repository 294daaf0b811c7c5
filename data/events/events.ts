import type { Subscription } from './records.ts'

/** The key of an event's record: ids sort as they count. */
export function eventKey(id: number): string {
  return String(id).padStart(16, '0')
}

/** The id of an event, as clients see it, by its record's key. */
export function eventId(key: string): string {
  return String(Number(key))
}

/** The first part of a message id such as `ResourceEvent.1.3.ResourceCreated`. */
export function prefixOf(messageId: string): string {
  return messageId.slice(0, messageId.indexOf('.'))
}

/** True when a subscription wants events with this message id. */
export function wantsEvent({ format, prefixes }: Subscription, messageId: string): boolean {
  return format === 'Event' && (prefixes as readonly string[]).includes(prefixOf(messageId))
}

/** True when a subscription wants the reports of a definition, given by its canonical URI without a trailing slash. */
export function wantsReport({ format, metricReportDefinitions }: Subscription, definition: string): boolean {
  return (
    format === 'MetricReport' && (metricReportDefinitions.length === 0 || metricReportDefinitions.includes(definition))
  )
}

/** The destination of notifications: `https://host[:port]`, and the path with its query. */
export interface Destination {
  readonly origin: string
  readonly path: string
}

/** @returns undefined for what is no https URI, and for one that carries a user, a password or a fragment */
export function parseDestination(text: string): Destination | undefined {
  const [, host, , port = '443', path = '', query = ''] =
    /^https:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:(\d{1,5}))?(\/[^?#]*)?(\?[^#]*)?$/i.exec(text) ?? []
  if (host === undefined || !isHost(host) || !isPort(Number(port)) || !/^[!-~]*$/.test(path + query)) return undefined
  return { origin: `https://${host}${port === '443' ? '' : `:${port}`}`, path: `${path || '/'}${query}` }
}

/** A name (RFC 1123 2.1, and underscores, which resolvers let pass) or an address; what ends in a number is no name. */
function isHost(text: string): boolean {
  if (text.startsWith('[')) return true
  const labels = text.split('.')
  if (/^\d+$/.test(labels.at(-1) ?? ''))
    return labels.length === 4 && labels.every((each) => /^\d{1,3}$/.test(each) && Number(each) < 256)
  return text.length < 254 && labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label))
}

function isPort(number: number): boolean {
  return number >= 1 && number <= 65_535
}

/** Headers that belong to the connection (RFC 9110 7.6.1), or that the service sets in each notification. */
const reserved = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade'
])

/**
 * HTTP headers of notifications by name, from an object of names and values or an array of such objects.
 *
 * @param longest how many characters names and values may have together
 * @returns undefined where a name or value is none (RFC 9110 5.5, 5.6.2), is not for clients to set, or is too long
 */
export function parseHeaders(given: unknown, longest: number): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = Object.create(null)
  let size = 0
  for (const each of Array.isArray(given) ? given : [given]) {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return undefined
    for (const [name, value] of Object.entries(each)) {
      if (typeof value !== 'string' || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) || reserved.has(name.toLowerCase()))
        return undefined
      if (!/^[\t -~\u0080-\u00ff]*$/.test(value)) return undefined
      size += name.length + value.length
      headers[name.toLowerCase()] = value
    }
  }
  return size > longest ? undefined : headers
}
