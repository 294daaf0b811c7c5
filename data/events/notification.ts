import { integer, reference, text } from '#data/resource'
import { list, object } from '#runtime/schema'
import { eventTypes } from './records.ts'

const severity = { type: 'string', enum: ['OK', 'Warning', 'Critical'], readonly: true } as const

/**
 * The schema of notifications to subscribers and streams. It has no `@odata.id`, because no client can read it by a
 * URI.
 */
export const notification = {
  title: '#Event.v1_7_0.Event',
  type: 'object',
  required: ['@odata.type', 'Events', 'Id', 'Name'],
  properties: {
    '@odata.type': { type: 'string', readonly: true },
    Id: { type: 'string', readonly: true },
    Name: { type: 'string', readonly: true },
    Context: { type: 'string', readonly: true },
    Events: list(
      object(['EventType', 'MemberId', 'MessageId'], {
        EventId: { type: 'string', readonly: true },
        EventGroupId: integer,
        EventType: { type: 'string', enum: eventTypes, readonly: true },
        EventTimestamp: { type: 'string', format: 'date-time', readonly: true },
        MemberId: { type: 'string', readonly: true },
        MessageId: { type: 'string', readonly: true },
        MessageArgs: list(text),
        Message: { type: 'string', readonly: true },
        Severity: { type: 'string', readonly: true },
        MessageSeverity: severity,
        OriginOfCondition: reference
      })
    )
  }
} as const
