import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { openbmcBoard, policy } from '#test/openbmc/board.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'
import { EventSource } from './event-source.ts'
import { onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { messagesOf } from './messages-of.ts'
import { admin, directory, type Json, start } from './server.ts'

const log = '/redfish/v1/Systems/1/LogServices/EventLog/'
const entries = `${log}Entries/`
const root = '/xyz/openbmc_project/logging'
const entry = (number: number) => `${root}/entry/${number}`

async function started(t: Test, host: Host, options: Parameters<typeof OpenbmcSimulator.start>[2] = {}, count = 1) {
  const bus = await TestBus.start(t, 'dbus-daemon', policy())
  const daemons = await OpenbmcSimulator.start(t, bus, options)
  const add = (number: number, severity: string, text: string) =>
    daemons.add('Logging', entry(number), {
      'Logging.Entry': { Id: number, Timestamp: number * 1000, Severity: severity, Message: text },
      'Object.Delete': {}
    })
  for (let number = 2; number <= count; number += 1) await add(number, 'Warning', `Fan ${number} is slow.`)
  const board = join(directory(t), 'board.json')
  writeFileSync(board, JSON.stringify(openbmcBoard(bus.socket)))
  const server = await start(t, host, { args: ['--board', board] })
  const until = (path: string, expected: (answer: { status: number; json: Json }) => boolean) =>
    server.until(() => server.get(path), expected)
  return { daemons, server, until, add }
}

onBothHosts(async (t, host) => {
  await t.test('the log of the bus is one of the system, and clients change it', async (t) => {
    const { daemons, server, until, add } = await started(t, host)
    await until(entries, ({ json }) => json['Members@odata.count'] === 1)
    const events = await EventSource.open(t, server)
    const told = async (key: RegExp) => {
      for (;;) {
        const event = (await events.next())?.data.Events[0] ?? {}
        if (key.test(event.MessageId)) return event
      }
    }
    await add(2, 'Error', 'Fan 1 failed.')
    t.match(await told(/LogErrorAdded/), {
      EventType: 'Alert',
      MessageArgs: ['Fan 1 failed.'],
      MessageSeverity: 'Critical',
      OriginOfCondition: { '@odata.id': `${entries}2/` }
    })
    await add(3, 'Warning', 'Fan 2 is slow.')
    await told(/LogWarningAdded/)
    await add(4, 'Debug', 'Fan 3 is new.')
    await told(/LogEntryAdded/)
    t.match((await server.get(`${entries}2/`)).json, {
      Id: '2',
      Created: '1970-01-01T00:00:02.000Z',
      Message: 'Fan 1 failed.',
      Resolved: false,
      Severity: 'Critical'
    })
    t.equal((await server.get(`${entries}1/Attachment`)).text, 'BOOT=1\n')
    const ids = async (query: string) =>
      (await server.get(`${entries}?${query}`)).json.Members.map(({ Id }: Json) => Id)
    t.same(await ids("$filter=Severity eq 'Critical' or Severity eq 'Warning'".replaceAll(' ', '%20')), ['2', '3'])
    t.same(await ids('$skip=1&$top=2'), ['2', '3'])
    const services = await server.get('/redfish/v1/Systems/1/LogServices/?$expand=.($levels=2)')
    const shown = services.json.Members.find(({ Id }: Json) => Id === 'EventLog')
    t.equal(shown.Entries.Members.length, 4)
    const own = await server.get('/redfish/v1/Systems/1/LogServices/SystemLog/Entries/')
    t.notMatch(own.text, /Fan/, 'Minnow logs it no second time')

    const { etag } = (await server.get(`${entries}2/`)).headers
    t.equal((await server.patch(`${entries}2/`, { Resolved: true })).status, 200)
    t.match((await server.get(`${entries}2/`)).json, { Resolved: true })
    t.ok(await daemons.get(entry(2), 'Logging.Entry', 'Resolved'))
    t.match(await told(/ResourceChanged/), { OriginOfCondition: { '@odata.id': `${entries}2/` } })
    const late = await server.patch(`${entries}2/`, { Resolved: false }, { ...admin, 'if-match': String(etag) })
    t.equal(late.status, 412)
    t.same(messagesOf(await server.patch(`${entries}2/`, { Severity: 'OK' })), ['Base.PropertyNotWritable(Severity)'])
    await daemons.set(entry(3), 'Logging.Entry', 'Resolved', true)
    t.match(await told(/ResourceChanged/), { OriginOfCondition: { '@odata.id': `${entries}3/` } })

    t.equal((await server.delete(`${entries}3/`)).status, 200)
    t.match(await told(/ResourceRemoved/), { OriginOfCondition: { '@odata.id': `${entries}3/` } })
    await t.rejects(daemons.get(entry(3), 'Logging.Entry', 'Id'))
    t.equal((await server.get(`${entries}3/`)).status, 404)
    t.equal((await server.post(`${log}Actions/LogService.ClearLog/`, {})).status, 200)
    t.same(await ids('$top=9'), [])
    await t.rejects(daemons.get(entry(2), 'Logging.Entry', 'Id'))
    await told(/LogCleared/)
  })

  await t.test('while the daemon is away the log is read as it was, and not changed', async (t) => {
    const { daemons, server, until, add } = await started(t, host, { without: ['Logging'] })
    const unknown = await server.get(entries)
    t.same([unknown.status, messagesOf(unknown)], [503, ['Base.ServiceTemporarilyUnavailable(1)']])
    t.equal((await server.get(log)).json.Status.State, 'UnavailableOffline')
    t.equal((await server.get('/redfish/v1/Systems/1/?$expand=*($levels=3)')).status, 200)
    await daemons.start('Logging')
    await until(entries, ({ status, json }) => status === 200 && json.Members.length === 1)
    await add(2, 'Error', 'Fan 1 failed.')
    await until(`${entries}2/`, ({ status }) => status === 200)
    await daemons.kill('Logging')
    await until(log, ({ json }) => json.Status.State === 'UnavailableOffline')
    t.equal((await server.get(`${entries}2/`)).json.Message, 'Fan 1 failed.')
    for (const refused of [
      await server.patch(`${entries}2/`, { Resolved: true }),
      await server.delete(`${entries}2/`),
      await server.post(`${log}Actions/LogService.ClearLog/`, {})
    ])
      t.same([refused.status, messagesOf(refused)[0]], [503, 'Base.ServiceTemporarilyUnavailable(60)'])
    await daemons.start('Logging')
    await until(log, ({ json }) => json.Status.State === 'Enabled')
    t.equal((await server.patch(`${entries}2/`, { Resolved: true })).status, 200)
  })

  await t.test('many entries, and some that are no such thing, are no failed request', async (t) => {
    const { daemons, server, until, add } = await started(t, host)
    for (let number = 2; number <= 1000; number += 1) await add(number, 'Warning', `Fan ${number} is slow.`)
    await daemons.mistype(entry(7), 'Logging.Entry', 'Timestamp', 's', 'noon')
    await daemons.mistype(entry(7), 'Logging.Entry', 'Message', 'd', 7)
    await daemons.mistype(entry(7), 'Logging.Entry', 'AdditionalData', 'ad', [7])
    await until(entries, ({ json }) => json['Members@odata.count'] === 1000)
    await until(`${entries}7/`, ({ json }) => json.Message === undefined && json.Created === undefined)
    t.equal((await server.get(`${entries}?$skip=999`)).json.Members[0].Id, '1000')
    const filtered = await server.get(`${entries}?$filter=Message%20eq%20'Fan%20500%20is%20slow.'`)
    t.same(
      filtered.json.Members.map(({ Id }: Json) => Id),
      ['500']
    )
    t.equal((await server.post(`${log}Actions/LogService.ClearLog/`, {})).status, 200)
    t.equal((await server.get(entries)).json['Members@odata.count'], 0)
  })

  await t.test('a log that is far larger than the daemon keeps is read, too', async (t) => {
    const { server, until } = await started(t, host, {}, 1500)
    await until(log, ({ json }) => json.Status.State === 'Enabled')
    t.equal((await server.get(`${entries}?$top=1`)).json['Members@odata.count'], 1500)
  })
})
