import t from 'tap'
import { POST, privileges } from '#handlers/redfish/v1/EventService/Actions/EventService.SubmitTestEvent.ts'
import { context, refusal } from '#test/handlers/context.ts'

const action = 'EventService.SubmitTestEvent'

type Body = Parameters<typeof POST>[0]['body']
const submitted = async (body: Body) => {
  const { status, events } = await POST(context({ body }))
  t.equal(status, 200)
  return events
}

t.test('the event is as the client words it', async (t) => {
  t.same(
    await submitted({
      EventId: 'mine',
      EventTimestamp: '2025-06-01T12:00:00Z',
      Message: 'It burns.',
      MessageId: 'Weather.1.0.Fire',
      MessageArgs: ['1'],
      OriginOfCondition: '/redfish/v1/Systems/1/',
      Severity: 'Critical',
      EventGroupId: 7,
      EventType: 'ResourceUpdated'
    }),
    [
      {
        test: {
          messageId: 'Weather.1.0.Fire',
          args: ['1'],
          text: 'It burns.',
          severity: 'Critical',
          origin: '/redfish/v1/Systems/1',
          eventId: 'mine',
          timestamp: '2025-06-01T12:00:00Z',
          eventType: 'ResourceUpdated',
          group: 7
        }
      }
    ]
  )
  t.match(await submitted({ EventID: 'old name', MessageId: 'A.1.0.B' }), [{ test: { eventId: 'old name' } }])
})

t.test('the registry gives the members that the client leaves out', async (t) => {
  const MessageId = 'MgmtEvents.1.0.AccountLocked'
  t.match(await submitted({ MessageId, MessageArgs: ['ann'] }), [
    { test: { text: 'The account ann is locked after failed logins.', severity: 'Warning', origin: '' } }
  ])
  for (const MessageId of ['Weather.1.0.Fire', 'MgmtEvents.1.0.Nothing', 'constructor.1.0.name']) {
    t.match(await submitted({ MessageId }), [{ test: { text: '', severity: 'OK' } }])
  }
})

t.test('the origin is a URI or a reference', async (t) => {
  const origin = '/redfish/v1/Systems/1'
  for (const OriginOfCondition of [`${origin}/`, { '@odata.id': `${origin}/` }]) {
    t.match(await submitted({ MessageId: 'A.1.0.B', OriginOfCondition }), [{ test: { origin } }])
  }
  for (const OriginOfCondition of ['two words', {}, { '@odata.id': 1 }, { '@odata.id': `/${'a'.repeat(1024)}` }]) {
    t.match(await refusal(() => submitted({ MessageId: 'A.1.0.B', OriginOfCondition })), {
      status: 400,
      messages: [['Base.ActionParameterValueFormatError', String, 'OriginOfCondition', action]]
    })
  }
})

t.test('a parameter and its old name have one value', async (t) => {
  t.match(await submitted({ MessageId: 'A.1.0.B', MessageSeverity: 'Warning' }), [{ test: { severity: 'Warning' } }])
  const same = { EventId: '1', EventID: '1', MessageSeverity: 'Warning', Severity: 'Warning' } as const
  t.match(await submitted({ MessageId: 'A.1.0.B', ...same }), [{ test: { eventId: '1', severity: 'Warning' } }])
  for (const [old, value] of [
    ['EventID', '2'],
    ['Severity', 'OK']
  ] as const) {
    t.same(await refusal(() => submitted({ MessageId: 'A.1.0.B', ...same, [old]: value })), {
      status: 400,
      messages: [['Base.ActionParameterDuplicate', action, old]]
    })
  }
})

t.test('it takes MgmtConfigPriv', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
})
