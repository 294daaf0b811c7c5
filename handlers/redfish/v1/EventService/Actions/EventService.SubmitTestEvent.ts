import { done, fail, lookUp, type Parameters, type Post } from '#runtime/contract'

const action = 'EventService.SubmitTestEvent'

const text = { type: 'string', maxLength: 1024 } as const

export const body = {
  type: 'object',
  required: ['MessageId'],
  properties: {
    EventID: { type: 'string', maxLength: 128 },
    EventId: { type: 'string', maxLength: 128 },
    EventTimestamp: { type: 'string', format: 'date-time' },
    Message: text,
    MessageArgs: { type: 'array', items: { type: 'string', maxLength: 256 }, maxItems: 16 },
    MessageId: { type: 'string', maxLength: 256, pattern: '^[A-Za-z]\\w*(\\.\\d+){2,3}\\.[A-Za-z]\\w*$' },
    OriginOfCondition: { type: 'string', format: 'uri-reference', maxLength: 1024 },
    Severity: { type: 'string', enum: ['OK', 'Warning', 'Critical'] }
  }
} as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** Reaches the subscriptions that want the registry of `MessageId`, as any event does; no log tells of it. */
export const POST: Post<typeof body> = ({ body }) => {
  const { MessageId, MessageArgs = [], OriginOfCondition = '', EventTimestamp, EventID, EventId = EventID } = body
  if (EventID !== undefined && EventId !== EventID) {
    fail(400, 'Base.ActionParameterDuplicate', action, 'EventID')
  }
  const known = lookUp(MessageId, MessageArgs)
  const test = {
    messageId: MessageId,
    args: MessageArgs,
    text: body.Message ?? known?.text ?? '',
    severity: body.Severity ?? known?.severity ?? 'OK',
    origin: OriginOfCondition.replace(/\/$/, ''),
    ...(EventId !== undefined && { eventId: EventId }),
    ...(EventTimestamp !== undefined && { timestamp: EventTimestamp })
  }
  return { ...done(), events: [{ test }] }
}
