import { EventSource } from './event-source.ts'
import { onBothHosts } from './every-host.ts'
import { onBoards } from './on-boards.ts'
import { partsOf } from './parts.ts'
import { admin, anonymous, basic, type Json, type Server, start } from './server.ts'

const test = '/redfish/v1/EventService/Actions/EventService.SubmitTestEvent/'
const stream = '/redfish/v1/EventService/SSE'

const submit = (server: Server, EventId: string) => server.post(test, { MessageId: 'StorageDevice.1.0.Test', EventId })
const named = (name: string) => (event: Json) => event.EventId === name

onBoards(async (t, board) => {
  t.test('a stream sends events as they happen', async (t) => {
    const server = await board.start(t)
    t.equal((await server.get('/redfish/v1/EventService/')).json.ServerSentEventUri, stream)
    const source = await EventSource.open(t, server)
    t.equal(source.status, 200)
    t.match(source.headers, { 'content-type': 'text/event-stream', 'odata-version': '4.0' })
    await submit(server, 'a')
    const { id, data } = await source.find(named('a'))
    t.match(data, { '@odata.type': '#Event.v1_7_0.Event', Id: id, Events: [{ MessageId: 'StorageDevice.1.0.Test' }] })
    await server.patch((await partsOf(server)).chassis, { LocationIndicatorActive: true })
    await source.find(
      ({ MessageId }) => MessageId.startsWith('MgmtResourceEvents.') && MessageId.endsWith('IndicatorChanged')
    )
  })

  t.test('a client that reconnects gets the events that it missed, also after a restart and a crash', async (t) => {
    const first = await board.start(t)
    const source = await EventSource.open(t, first)
    await submit(first, 'a')
    const { id } = await source.find(named('a'))
    await source.close()
    await submit(first, 'b')
    await submit(first, 'c')
    const again = await EventSource.open(t, first, id)
    t.equal((await again.next())?.data.Events[0].EventId, 'b')
    const seen = await again.find(named('c'))
    await first.kill()
    const second = await board.start(t, { data: first.data })
    await submit(second, 'd')
    const third = await EventSource.open(t, second, id)
    t.equal((await third.next())?.data.Events[0].EventId, 'b')
    t.equal((await third.next())?.id, seen.id)
    await third.find(named('d'))
  })

  t.test('a stream ends with its session, with its account, and with the service', async (t) => {
    const server = await board.start(t)
    const { token, location } = await server.login()
    const bySession = await EventSource.open(t, server, undefined, token)
    t.equal((await server.delete(location)).status, 200)
    while ((await bySession.next()) !== undefined);
    const ann = { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'ReadOnly' }
    t.equal((await server.post('/redfish/v1/AccountService/Accounts', ann)).status, 201)
    const byAccount = await EventSource.open(t, server, undefined, basic('ann', 'Green-Door-4'))
    t.equal(byAccount.status, 200)
    t.equal((await server.patch('/redfish/v1/AccountService/Accounts/ann/', { Enabled: false })).status, 200)
    while ((await byAccount.next()) !== undefined);
    const last = await EventSource.open(t, server)
    const stopped = server.stop()
    while ((await last.next()) !== undefined);
    t.equal(await stopped, 0)
  })

  t.test('a stream has its event destination, which ends with it and whose deletion ends it', async (t) => {
    const server = await board.start(t)
    const subscriptions = '/redfish/v1/EventService/Subscriptions/'
    const listed = async () => (await server.get(subscriptions)).json.Members.map((each: Json) => each['@odata.id'])
    t.same(await listed(), [])
    const source = await EventSource.open(t, server)
    const [uri] = await listed()
    const { json, headers } = await server.get(uri)
    t.match(json, { SubscriptionType: 'SSE', Protocol: 'Redfish', Destination: /^redfish-sse:\/\/127\.0\.0\.1:\d+$/ })
    t.match(headers, { allow: 'GET, HEAD, DELETE' })
    await submit(server, 'a')
    t.equal((await source.find(named('a'))).data.Context, json.Context)
    const other = await EventSource.open(t, server)
    t.equal((await listed()).length, 2)
    t.equal((await server.delete(uri)).status, 200)
    while ((await source.next()) !== undefined);
    t.notOk((await listed()).includes(uri))
    t.equal((await server.get(uri)).status, 404)
    await other.close()
    await server.until(
      () => server.get(subscriptions),
      ({ json }) => json.Members.length === 0
    )
  })

  t.test('a stream has the events that pass its filter, missed ones included', async (t) => {
    const server = await board.start(t)
    const { chassis, system } = await partsOf(server)
    const filter = `RegistryPrefix eq 'MgmtResourceEvents' and OriginResource eq '${chassis}' or OriginResource eq '${system}' and ResourceType eq 'ComputerSystem' and EventType eq 'ResourceUpdated'`
    const act = async () => {
      await submit(server, 'a')
      await server.patch(system, { AssetTag: String(Math.random()) })
      const { json } = await server.get(chassis)
      await server.patch(chassis, { LocationIndicatorActive: !json.LocationIndicatorActive })
    }
    await act()
    const source = await EventSource.open(t, server, '0', admin, filter)
    await act()
    for (const _ of [1, 2]) {
      const keys = []
      while (keys.length < 2) keys.push((await source.next())?.data.Events[0].MessageId)
      t.match(keys, [/^ResourceEvent\..*\.ResourceChanged$/, /^MgmtResourceEvents\..*\.IndicatorChanged$/])
    }
    t.equal((await server.get(`${stream}?$filter=(`)).status, 400)
  })

  t.test('a stream that asks for metric reports has those that are pushed, and those that it names', async (t) => {
    const server = await board.start(t, { configuration: { sensors: { interval: 1 } } })
    const definitions = '/redfish/v1/TelemetryService/MetricReportDefinitions/'
    const named = await EventSource.open(t, server, undefined, admin, 'MetricReportDefinition ne null')
    const pushed = await EventSource.open(t, server, undefined, admin, `EventFormatType eq 'MetricReport'`)
    const every = await EventSource.open(t, server)
    const seen = new Set<string>()
    while (seen.size < 7) {
      const { id, data } = (await named.next())!
      t.match([id, data['@odata.type']], ['', /^#MetricReport\./])
      seen.add(data.Id)
    }
    const Schedule = { RecurrenceInterval: 'PT1S' }
    await server.patch(`${definitions}FanSpeed/`, { MetricReportDefinitionType: 'Periodic', Schedule })
    t.match((await pushed.next())?.data, {
      Context: /^SSE/,
      MetricReportDefinition: { '@odata.id': `${definitions}FanSpeed/` },
      MetricValues: [{ MetricId: 'FanSpeed', MetricValue: /^\d+$/ }]
    })
    t.match((await every.next())?.data['@odata.type'], /^#Event\./, 'who asks for nothing has events alone')
  })
})

// The connections of event streams, which do not depend on the board.
onBothHosts(async (t, host) => {
  t.test('events older than the buffer are left out, and the rest is sent', async (t) => {
    const server = await start(t, host, { configuration: { limits: { events: 2 } } })
    for (const name of ['a', 'b', 'c']) await submit(server, name)
    const source = await EventSource.open(t, server, '0')
    t.equal((await source.next())?.data.Events[0].EventId, 'b')
    t.equal((await source.next())?.data.Events[0].EventId, 'c')
    const wrong = await EventSource.open(t, server, 'yesterday')
    await submit(server, 'd')
    t.equal((await wrong.next())?.data.Events[0].EventId, 'd')
  })

  t.test('there are as many streams as may be, and a place is free again when one ends', async (t) => {
    const server = await start(t, host)
    const sources = []
    for (let count = 0; count < 10; count += 1) sources.push(await EventSource.open(t, server))
    const refused = await server.get(stream, { ...basic('admin', 'Tin-Whistle-7'), accept: 'text/event-stream' })
    t.equal(refused.status, 503)
    t.ok(Number(refused.headers['retry-after']) > 0)
    await submit(server, 'a')
    for (const source of sources) await source.find(named('a'))
    await sources[0]?.close()
    for (;;) {
      const next = await EventSource.open(t, server)
      if (next.status === 200) break
    }
  })

  t.test('a quiet stream shows that it is alive', async (t) => {
    const server = await start(t, host, { configuration: { events: { streamKeepAlive: 0.05 } } })
    const source = await EventSource.open(t, server)
    const waiting = source.next()
    while (!source.text.includes('\n:\n')) await new Promise((resolve) => setTimeout(resolve, 10))
    await submit(server, 'a')
    t.equal((await waiting)?.data.Events[0].EventId, 'a')
  })

  t.test('a client that does not read is cut off', async (t) => {
    const server = await start(t, host, { configuration: { events: { streamUnread: 65_536 } } })
    const connection = await server.connect()
    connection.socket.pause()
    connection.write(
      `GET ${stream} HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic('admin', 'Tin-Whistle-7').authorization}\r\n\r\n`
    )
    const Message = 'x'.repeat(1024)
    for (;;) {
      for (let count = 0; count < 100; count += 1)
        await server.post(test, {
          MessageId: 'StorageDevice.1.0.Test',
          Message,
          MessageArgs: Array(16).fill(Message.slice(768))
        })
      const { stderr } = server.process
      if (stderr.some((line) => line.includes('an event stream was closed'))) break
    }
    connection.socket.resume()
    await connection.closed
  })

  t.test('a stream needs an account, and a client that wants one', async (t) => {
    const server = await start(t, host)
    t.equal((await server.get(stream, anonymous)).status, 401)
    t.equal((await server.get(stream, { ...basic('admin', 'Tin-Whistle-7'), accept: 'application/json' })).status, 406)
    const head = await server.request('HEAD', stream)
    t.match([head.status, head.headers['content-type']], [200, 'text/event-stream'])
  })
})
