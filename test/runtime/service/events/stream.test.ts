import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import { type Caller, event, type Sink } from '#runtime/contract'
import { EventStreams } from '#runtime/service/events/stream.ts'
import { Telling } from '#test/runtime/service/events/telling.ts'
import { refusal } from '#test/runtime/service/refusal.ts'

const ann: Caller = {
  ...{ account: 'ann', user: 'ann', role: '', address: '192.0.2.1', passwordChangeRequired: false },
  privileges: new Set()
}
const chassis = '/redfish/v1/Chassis/1'

/** Two streams at most, of the last two events. */
async function open(t: Test) {
  const telling = await Telling.open(t, { most: 2 })
  const { store, events, bodies } = telling
  const streams = new EventStreams(store, events, bodies, {
    ...configuration,
    limits: { ...configuration.limits, streams: 2 },
    events: { ...configuration.events, streamUnread: 100 }
  })
  const { revisions } = store
  const tracked: string[] = []
  const track = (path: string) => void tracked.push(path)
  const shown = streams.members({ depends() {}, track, caller: ann, localAddress: undefined }).streams
  return {
    ...{ streams, shown, tracked, store, revision: () => revisions.of('streams/') },
    tell: (reason: string) => events.emit(event('MgmtResourceEvents.IndicatorChanged', chassis, reason)),
    /** A client that has so many bytes to read; `seen` has the events and data that it got, and how it ended. */
    connect(options: { lastEventId?: string; unread?: number; caller?: Caller } = {}, wants?: (of: object) => boolean) {
      const { lastEventId, unread = 0, caller = ann } = options
      const seen: string[] = []
      const comments: string[] = []
      const sink: Sink = {
        write: (chunk) => void (String(chunk).startsWith(':') ? comments : seen).push(String(chunk)),
        unread: () => unread,
        end: () => void seen.push('end'),
        cut: () => void seen.push('cut')
      }
      const gone = streams.begin(caller, 4711, lastEventId, wants)(sink)
      t.teardown(gone)
      return { seen, comments, gone }
    }
  }
}

/** The message arguments of the events that a client got. */
const args = (seen: readonly string[]) => seen.flatMap((text) => /"MessageArgs":\["(\w+)"\]/.exec(text)?.[1] ?? text)

t.test('each stream gets each event that its filter lets through', async (t) => {
  const { connect, tell } = await open(t)
  const properties: object[] = []
  const all = connect()
  const none = connect({}, (of) => properties.push(of) < 0)
  await tell('Lit')
  t.match(all.seen, [/^id: \d+\ndata: \{.*"Context":"\w+".*\}\n\n$/])
  t.same([args(all.seen), none.seen], [['Lit'], []])
  t.match(properties, [
    {
      EventFormatType: 'Event',
      EventType: 'StatusChange',
      RegistryPrefix: 'MgmtResourceEvents',
      OriginResource: `${chassis}/`
    }
  ])
})

t.test('an event that is about nothing has no origin to filter by', async (t) => {
  const { store, connect } = await open(t)
  const properties: object[] = []
  connect({}, (of) => properties.push(of) > 0)
  const record = { created: '', severity: 'OK', text: '', messageId: 'MgmtEvents.1.0.LogCleared', args: [], origin: '' }
  await store.commit({ event: { '0000000000000009': { ...record, severity: 'OK', to: [] } } })
  t.equal(properties.length, 1)
  t.notOk('OriginResource' in (properties[0] ?? {}))
})

t.test('a client that comes back gets the events after the last that it saw', async (t) => {
  const { connect, tell } = await open(t)
  const first = connect()
  for (const reason of ['a', 'b', 'c']) await tell(reason)
  const ids = first.seen.map((text) => /^id: (\d+)/.exec(text)?.[1] ?? '')
  first.gone()
  for (const [lastEventId, expected] of [
    [ids[1], ['c']],
    [ids[0], ['b', 'c']],
    ['0', ['b', 'c']],
    [ids[2], []],
    ['', []],
    ['x1', []],
    ['1x', []],
    ['1'.repeat(17), []],
    [undefined, []]
  ] as const) {
    const client = connect(lastEventId === undefined ? {} : { lastEventId })
    t.same(args(client.seen), expected, lastEventId ?? 'none')
    client.gone()
  }
})

t.test('a report goes to the streams that ask for it, and is made only then', async (t) => {
  const { streams, store, connect } = await open(t)
  let made = 0
  const report = (isPushed: boolean) =>
    streams.report('Fans', isPushed, () => {
      made += 1
      return { Id: 'Fans' }
    })
  report(true)
  const wanted: object[] = []
  const client = connect({}, (of) => {
    wanted.push(of)
    return 'EventFormatType' in of
  })
  const other = connect()
  report(false)
  t.equal(made, 0)
  report(true)
  t.equal(made, 1)
  const definition = { MetricReportDefinition: '/redfish/v1/TelemetryService/MetricReportDefinitions/Fans/' }
  t.same(wanted, [definition, { ...definition, EventFormatType: 'MetricReport' }])
  t.match(client.seen, [/^data: \{"Context":"\w+","Id":"Fans"\}\n\n$/])
  t.same(other.seen, [])
  await store.commit({ eventService: { settings: { enabled: false } } })
  report(true)
  t.equal(made, 1, 'the event service is disabled')
})

t.test('there are `limits.streams` places, promised ones included', async (t) => {
  const { streams, connect } = await open(t)
  streams.begin(ann, 1, undefined)
  const { gone } = connect()
  t.equal(refusal(connect), '503 Base.ServiceTemporarilyUnavailable 30')
  gone()
  t.equal(refusal(connect), 'taken')
  t.match(refusal(connect), /^503 /)
})

t.test('an open stream is shown with the address of its client, until it ends', async (t) => {
  const { streams, shown, tracked, connect, revision } = await open(t)
  const before = revision()
  const first = connect()
  const second = connect({ caller: { ...ann, address: '2001:db8::1' } })
  const opened = revision()
  t.same(tracked, [])
  t.not(opened, before)
  t.same(
    [...shown().values()].map(({ destination }) => destination),
    ['redfish-sse://192.0.2.1:4711', 'redfish-sse://[2001:db8::1]:4711']
  )
  t.same(tracked, ['streams/'])
  const [id = ''] = shown().keys()
  streams.end(id)
  t.same([first.seen, shown().size], [['end'], 1])
  const ended = revision()
  t.not(ended, opened)
  streams.end(id)
  first.gone()
  t.same([first.seen, revision()], [['end'], ended], 'it ends once')
  const third = connect()
  third.gone()
  t.equal(shown().size, 1, 'a client that has gone has no stream')
  streams.close()
  t.same([second.seen, shown().size], [['end'], 0])
})

t.test('a client with more than `events.streamUnread` bytes to read loses its connection', async (t) => {
  const { connect, tell } = await open(t)
  const [slow, dead] = [connect({ unread: 100 }), connect({ unread: 101 })]
  await tell('Lit')
  t.same([args(slow.seen), dead.seen], [['Lit'], ['cut']])
})

t.test('a stream begins with a comment, and has another every `events.streamKeepAlive` seconds', async (t) => {
  const { connect } = await open(t)
  const timers = t.capture(globalThis, 'setInterval', (() => 7) as unknown as typeof setInterval)
  const ended = t.capture(globalThis, 'clearInterval', () => {})
  const { comments, gone } = connect()
  const [[tick, period] = []] = timers().map(({ args }) => args)
  t.equal(period, configuration.events.streamKeepAlive * 1000)
  tick?.()
  t.match(comments, [/^: .+\n\n$/, ':\n\n'])
  gone()
  t.match(
    ended().map(({ args }) => args),
    [[7]]
  )
})
