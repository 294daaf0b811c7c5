import { eventTypes, severities } from '#data/events'
import { display, done, fail, formats, type Infer, lookUp, object, type Post } from '#runtime/contract'

const action = 'EventService.SubmitTestEvent'

const text = { type: 'string', maxLength: 1024 } as const

export const body = object(['MessageId'], {
  EventGroupId: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  EventID: { type: 'string', maxLength: 128 },
  EventId: { type: 'string', maxLength: 128 },
  EventTimestamp: { type: 'string', format: 'date-time' },
  EventType: { type: 'string', enum: eventTypes },
  Message: text,
  MessageArgs: { type: 'array', items: { type: 'string', maxLength: 256 }, maxItems: 16 },
  MessageId: { type: 'string', maxLength: 256, pattern: '^[A-Za-z]\\w*(\\.\\d+){2,3}\\.[A-Za-z]\\w*$' },
  MessageSeverity: { type: 'string', enum: severities },
  OriginOfCondition: { type: ['string', 'object'] },
  Severity: { type: 'string', enum: severities }
})

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** Reaches the subscriptions that want the registry of `MessageId`, as any event does, and is not logged. */
export const POST: Post<typeof body> = ({ body }) => {
  const { MessageId, MessageArgs = [], EventTimestamp, EventType, EventGroupId } = body
  const eventId = only(body, 'EventId', 'EventID')
  const known = lookUp(MessageId, MessageArgs)
  const test = {
    messageId: MessageId,
    args: MessageArgs,
    text: body.Message ?? known?.text ?? '',
    severity: only(body, 'MessageSeverity', 'Severity') ?? known?.severity ?? 'OK',
    origin: originOf(body.OriginOfCondition).replace(/\/$/, ''),
    ...(eventId !== undefined && { eventId }),
    ...(EventTimestamp !== undefined && { timestamp: EventTimestamp }),
    ...(EventType !== undefined && { eventType: EventType }),
    ...(EventGroupId !== undefined && { group: EventGroupId })
  }
  return { ...done(), events: [{ test }] }
}

type Body = Infer<typeof body>

/** A parameter that has an old name as well: two values are refused. */
function only<N extends keyof Body>(body: Body, name: N, old: N): Body[N] {
  const value = body[name] ?? body[old]
  if ((body[old] ?? value) !== value) fail(400, 'Base.ActionParameterDuplicate', action, old)
  return value
}

/** The standard has a URI there; many clients write a reference, as it is in the event. */
function originOf(given: Body['OriginOfCondition'] = ''): string {
  const uri = typeof given === 'string' ? given : (given as { '@odata.id'?: unknown })['@odata.id']
  if (typeof uri === 'string' && uri.length <= 1024 && formats['uri-reference'].test(uri)) return uri
  return fail(400, 'Base.ActionParameterValueFormatError', display(given, false), 'OriginOfCondition', action)
}
