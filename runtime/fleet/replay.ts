import { readFileSync } from 'node:fs'
import { severities } from '#data/events'
import { textsIn } from '#runtime/base/event-stream.ts'
import type { TestEvent } from '#runtime/contract'

/** An event of a recorded stream. */
export interface RecordedEvent extends TestEvent {
  /** Milliseconds after the first event of its stream. */
  readonly after: number
}

/**
 * The events of a recorded stream in the order of their times: Server-Sent Events as text, or a line of JSON for each
 * Event resource (DSP2046). An event without a time comes with the one before it. Metric reports are left out.
 *
 * @throws Error in one line for a file that cannot be read, or has none
 */
export function readEvents(file: string): readonly RecordedEvent[] {
  const events = textsIn(readFileSync(file, 'utf8')).flatMap(({ text, line }) => {
    try {
      return eventsOf(JSON.parse(text))
    } catch {
      throw new Error(`${file}:${line}: this is not JSON`)
    }
  })
  if (events.length === 0) throw new Error(`${file} has no events`)
  let time = events.map(timeOf).find((each) => !Number.isNaN(each)) ?? 0
  const timed = events.map((each) => {
    const own = timeOf(each)
    time = Number.isNaN(own) ? time : own
    return { each, time }
  })
  timed.sort((one, other) => one.time - other.time)
  return timed.map(({ each, time }) => ({ after: time - timed[0]!.time, test: testOf(each) }))
}

type Json = { readonly [name: string]: unknown }

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** The members of an Event resource, or an event alone. */
function eventsOf(body: unknown): Json[] {
  const { Events = [body] } = isObject(body) ? body : {}
  return (Array.isArray(Events) ? Events : []).filter((each) => isObject(each) && typeof each.MessageId === 'string')
}

const timeOf = ({ EventTimestamp }: Json) => Date.parse(String(EventTimestamp))

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** It happens now, and has another id. */
function testOf(event: Json): TestEvent['test'] {
  const { MessageId, Message, MessageArgs, MessageSeverity, Severity, OriginOfCondition, EventType, EventGroupId } =
    event
  const origin = isObject(OriginOfCondition) ? OriginOfCondition['@odata.id'] : OriginOfCondition
  return {
    messageId: textOf(MessageId),
    args: Array.isArray(MessageArgs) ? MessageArgs.map(String) : [],
    text: textOf(Message),
    severity: severities.find((each) => each === (MessageSeverity ?? Severity)) ?? 'OK',
    origin: textOf(origin).replace(/\/$/, ''),
    ...(typeof EventType === 'string' && { eventType: EventType }),
    ...(typeof EventGroupId === 'number' && { group: EventGroupId })
  }
}
