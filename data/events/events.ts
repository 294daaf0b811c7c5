import { parseServer } from '#runtime/base/server.ts'
import type { EventFilter, EventRecord, eventTypes, Subscription } from './records.ts'
import { eventFacility, passesSyslog, severityOf } from './syslog.ts'

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

/** A message id of any version, or of none, as its registry and key. */
export function messageKeyOf(messageId: string): string {
  return prefixOf(messageId) + messageId.slice(messageId.lastIndexOf('.'))
}

const changes: Readonly<Record<string, EventType>> = {
  ResourceCreated: 'ResourceAdded',
  ResourceChanged: 'ResourceUpdated',
  ResourceRemoved: 'ResourceRemoved'
}

type EventType = (typeof eventTypes)[number]

/** The old word for the kind of an event, which clients still look at (DSP2046, Event.EventType). */
export function eventTypeOf({ messageId, eventType }: Pick<EventRecord, 'messageId' | 'eventType'>): string {
  if (eventType !== undefined) return eventType
  const status = prefixOf(messageId).endsWith('ResourceEvent') || prefixOf(messageId) === 'MgmtResourceEvents'
  return changes[messageId.slice(messageId.lastIndexOf('.') + 1)] ?? (status ? 'StatusChange' : 'Alert')
}

/**
 * True when a subscription wants an event (DSP2046, EventDestination: what its filters mean).
 *
 * @param typeOf the name of the schema of a resource, by its URI
 */
export function wantsEvent(
  subscription: Subscription,
  event: Pick<EventRecord, 'messageId' | 'severity' | 'origin' | 'eventType'>,
  typeOf: (uri: string) => string | undefined
): boolean {
  if (subscription.format !== 'Event' || subscription.suspended) return false
  const { messageId, severity, origin } = event
  const { prefixes, messageIds = [], excludedPrefixes = [], excludedMessageIds = [] } = subscription
  const { eventTypes = [], severities = [], resourceTypes = [] } = subscription
  const key = messageKeyOf(messageId)
  return (
    (holds(prefixes, prefixOf(messageId)) || holds(messageIds, key)) &&
    !holds(excludedPrefixes, prefixOf(messageId)) &&
    !holds(excludedMessageIds, key) &&
    (eventTypes.length === 0 || holds(eventTypes, 'Other') || holds(eventTypes, eventTypeOf(event))) &&
    (severities.length === 0 || holds(severities, severity)) &&
    (resourceTypes.length === 0 || holds(resourceTypes, typeOf(origin))) &&
    wantsOrigin(subscription, origin) &&
    passesSyslog(subscription.syslog ?? [], { facility: eventFacility, severity: severityOf(severity) })
  )
}

function holds(list: readonly string[], value: string | undefined): boolean {
  return value !== undefined && list.includes(value)
}

function wantsOrigin({ origins = [], subordinates }: EventFilter, origin: string): boolean {
  if (origins.length === 0 || origins.includes(origin)) return true
  return subordinates === true && origins.some((each) => origin.startsWith(`${each}/`) || origin.startsWith(`${each}#`))
}

/** True when a subscription wants the reports of a definition, given by its canonical URI without a trailing slash. */
export function wantsReport(subscription: Subscription, definition: string): boolean {
  const { format, metricReportDefinitions, suspended = false } = subscription
  return (
    format === 'MetricReport' &&
    !suspended &&
    (metricReportDefinitions.length === 0 || metricReportDefinitions.includes(definition))
  )
}

/** The destination of notifications: `https://host[:port]`, and the path with its query. */
export interface Destination {
  readonly origin: string
  readonly path: string
}

/** @returns undefined for what is no https URI, and for one that carries a user, a password or a fragment */
export function parseDestination(text: string): Destination | undefined {
  const [, authority = '', path = '', query = ''] = /^https:\/\/([^/?#]+)(\/[^?#]*)?(\?[^#]*)?$/i.exec(text) ?? []
  const server = parseServer(authority, 443)
  if (server === undefined || !/^[!-~]*$/.test(path + query)) return undefined
  const { host, port } = server
  return { origin: `https://${host}${port === 443 ? '' : `:${port}`}`, path: `${path || '/'}${query}` }
}

/** The server of `syslog://host[:port]`; its port is 6514 where none is named (RFC 5425 4.1). */
export function parseSyslogDestination(text: string) {
  return parseServer(/^syslog:\/\/([^/]+)\/?$/i.exec(text)?.[1] ?? '', 6514)
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
 * @returns undefined if a name or value is invalid (RFC 9110 5.5, 5.6.2), reserved for the service, or too long
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
