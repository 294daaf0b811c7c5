import { type EventRecord, eventId, eventTypeOf } from '#data/events'

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
   * @param context of the subscription or stream
   */
  event(keys: readonly string[], context: string): string {
    const events = keys.map((key) => this.member(key)).filter((text) => text !== '')
    const id = eventId(keys.at(-1) ?? '')
    const head = `"@odata.type":"#Event.v1_7_0.Event","Id":"${id}","Name":"Events"`
    return `{${head},"Context":${JSON.stringify(context)},"Events":[${events.join(',')}]}`
  }

  /** An event, as the Event resource has it, as JSON; empty when it is there no more. */
  member(key: string): string {
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
  return {
    EventId: record.eventId ?? eventId(key),
    EventType: eventTypeOf(record),
    EventTimestamp: record.timestamp ?? record.created,
    ...(record.group !== undefined && { EventGroupId: record.group }),
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
