import t from 'tap'
import { type EventRecord, eventKey, notification } from '#data/events'
import type { ObjectProperty } from '#runtime/schema'
import { EventBodies, reportBody } from '#runtime/service/events/body.ts'
import type { Json } from '#test/host/server.ts'

const record: EventRecord = {
  created: '2025-06-01T12:00:00.000Z',
  severity: 'Warning',
  text: 'It "rains".',
  messageId: 'ResourceEvent.1.3.ResourceChanged',
  args: [],
  origin: '/redfish/v1/Chassis/1',
  to: ['a']
}
const bodies = (records: Readonly<Record<number, EventRecord>>) => new EventBodies((key) => records[Number(key)])
const event = (record: EventRecord): Json => JSON.parse(bodies({ 1: record }).event([eventKey(1)], '')).Events[0]

/** The members that the published schema does not know. */
function unknown(schema: ObjectProperty, value: Json, at = ''): string[] {
  return Object.entries<Json>(value).flatMap(([name, inner]) => {
    const property = schema.properties[name]
    if (property === undefined) return [`${at}/${name}`]
    const items = property.type === 'array' ? property.items : property
    if (items.type !== 'object') return []
    return [inner].flat().flatMap((each: Json) => unknown(items as ObjectProperty, each, `${at}/${name}`))
  })
}

t.test('several events share one body, with the id of the last one', async (t) => {
  const body = JSON.parse(bodies({ 1: record, 2: { ...record, args: ['x'] } }).event([eventKey(1), eventKey(2)], 'a"b'))
  t.match(body, { '@odata.type': '#Event.v1_7_0.Event', Id: '2', Context: 'a"b' })
  t.same(
    body.Events.map((each: Json) => [each.EventId, each.MessageArgs]),
    [
      ['1', []],
      ['2', ['x']]
    ]
  )
})

t.test('a body has the events that are still there', async (t) => {
  const left = bodies({ 2: { ...record, args: ['x'] } })
  t.match(JSON.parse(left.event([eventKey(1), eventKey(2)], '')).Events, [{ MemberId: '2', MessageArgs: ['x'] }])
  t.same(JSON.parse(left.event([eventKey(1)], '')).Events, [])
})

t.test('the last 64 events are made into text once, for all subscribers', async (t) => {
  const read: string[] = []
  const bodies = new EventBodies((key) => {
    read.push(key)
    return record
  })
  const keys = Array.from({ length: 64 }, (_, index) => eventKey(index + 1))
  for (const key of [...keys, ...keys]) bodies.member(key)
  t.same(read.splice(0), keys)
  const [first, second] = keys as [string, string]
  for (const key of [eventKey(65), second, first]) bodies.member(key)
  t.same(read, [eventKey(65), first])
})

t.test('all that is in a body is in its published schema, and all that has to be there is', async (t) => {
  const body = JSON.parse(bodies({ 1: record }).event([eventKey(1)], ''))
  t.same(unknown(notification as ObjectProperty, body), [])
  for (const name of notification.required) t.ok(name in body, name)
  for (const name of notification.properties.Events.items.required) t.ok(name in body.Events[0], name)
})

t.test('the event type follows from the message id', async (t) => {
  for (const [messageId, type] of [
    ['ResourceEvent.1.3.ResourceCreated', 'ResourceAdded'],
    ['ResourceEvent.1.3.ResourceChanged', 'ResourceUpdated'],
    ['ResourceEvent.1.3.ResourceRemoved', 'ResourceRemoved'],
    ['ResourceEvent.1.3.ResourceStatusChangedOK', 'StatusChange'],
    ['MgmtResourceEvents.1.0.PowerStateChanged', 'StatusChange'],
    ['MgmtEvents.1.0.LoginFailed', 'Alert']
  ] as const) {
    t.equal(event({ ...record, messageId }).EventType, type, messageId)
  }
})

t.test('a test event has the id and time of its sender; it may have no origin', async (t) => {
  const test = { ...record, eventId: 'mine', timestamp: '2024-01-01T00:00:00Z', origin: '' }
  t.match(event(test), { EventId: 'mine', MemberId: '1', EventTimestamp: '2024-01-01T00:00:00Z' })
  t.notOk('OriginOfCondition' in event(test))
  t.notOk('EventGroupId' in event(test))
  t.equal(event({ ...test, group: 0 }).EventGroupId, 0)
})

t.test('a report is sent as it is, with the context', async (t) => {
  t.same(JSON.parse(reportBody('{"Id":"Fans","MetricValues":[]}', 'x"y')), {
    Context: 'x"y',
    Id: 'Fans',
    MetricValues: []
  })
})
