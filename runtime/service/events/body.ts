import { type EventRecord, eventId, prefixOf } from '#data/events'

/** The old word for the kind of an event, which clients still look at (DSP2046, Event.EventType). */
const types: Readonly<Record<string, string>> = {
  ResourceCreated: 'ResourceAdded',
  ResourceChanged: 'ResourceUpdated',
  ResourceRemoved: 'ResourceRemoved'
}

/** How many rendered events are kept for the next subscriber. */
const kept = 64

/** Bodies of notifications. Each event is rendered once for all subscribers and streams. */
export class EventBodies {
  readonly #read: (key: string) => EventRecord | undefined
  readonly #texts = new Map<string, string>()

  constructor(read: (key: string) => EventRecord | undefined) {
    this.#read = read
  }

  /**
   * An Event resource (DSP2046) as JSON, with the events that are still there.
   *
   * @param keys of the events' records, one at least; the resource has the id of the last one
   * @param context of the subscription; a stream has none
   */
  event(keys: readonly string[], context?: string): string {
    const events = keys.map((key) => this.#member(key)).filter((text) => text !== '')
    const id = eventId(keys.at(-1) ?? '')
    const about = context === undefined ? '' : `"Context":${JSON.stringify(context)},`
    return `{"@odata.type":"#Event.v1_7_0.Event","Id":"${id}","Name":"Events",${about}"Events":[${events.join(',')}]}`
  }

  #member(key: string): string {
    const known = this.#texts.get(key)
    if (known !== undefined) return known
    const record = this.#read(key)
    if (record === undefined) return ''
    const text = JSON.stringify(member(key, record))
    if (this.#texts.size >= kept) this.#texts.delete(this.#texts.keys().next().value as string)
    this.#texts.set(key, text)
    return text
  }
}

/** `EventId` is what a client who tests wants it to be; `MemberId` is always the service's own. */
function member(key: string, record: EventRecord) {
  const { messageId, args, text, severity, origin } = record
  const name = messageId.slice(messageId.lastIndexOf('.') + 1)
  const status = prefixOf(messageId).endsWith('ResourceEvent') || prefixOf(messageId) === 'MgmtResourceEvents'
  return {
    EventId: record.eventId ?? eventId(key),
    EventType: types[name] ?? (status ? 'StatusChange' : 'Alert'),
    EventTimestamp: record.timestamp ?? record.created,
    MemberId: eventId(key),
    MessageId: messageId,
    MessageArgs: args,
    Message: text,
    Severity: severity,
    MessageSeverity: severity,
    ...(origin !== '' && { OriginOfCondition: { '@odata.id': `${origin}/` } })
  }
}

/** A metric report, as JSON, with the context of a subscription. */
export function reportBody(report: string, context: string): string {
  return `{"Context":${JSON.stringify(context)},${report.slice(1)}`
}
