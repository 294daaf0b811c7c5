import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { freePort } from '#test/conformance/free-port.ts'
import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { listener } from './multicast.ts'
import { head } from './raw.ts'
import { anonymous, directory, type Json, type Server, start } from './server.ts'

const protocols = '/redfish/v1/Managers/1/NetworkProtocol/'
const entries = '/redfish/v1/Managers/1/LogServices/EventLog/Entries/'
const to = (Port: number, RollbackTime?: number) => ({
  HTTPS: { Port },
  ...(RollbackTime !== undefined && { Oem: { Vendor: { RollbackTime } } })
})

onBothHosts(async (t, host) => {
  t.test('a client at the new port confirms it, and connections to the old port are drained', async (t) => {
    const [old, next] = await freePorts()
    const server = await start(t, host, { port: old })
    const before = await server.connect()
    t.same(await shown(server), [old, null])
    t.equal((await server.patch(protocols, to(next))).status, 200)
    t.same(await shown(server), [next, 60], 'the old one is served while the new one is on trial')
    const moved = server.at(next)
    t.equal((await moved.get('/redfish/v1/', anonymous)).status, 200)
    t.same(await shown(server), [next, 60], 'who does not log in keeps nothing')
    await kept(moved)
    before.write(head('GET', '/redfish/v1/', ''))
    const last = await before.response()
    t.match(last ?? { headers: { connection: 'close' } }, { headers: { connection: 'close' } })
    await before.closed
    await refuses(old)
    const { json } = await moved.get(entries)
    t.ok(json.Members.some(({ MessageId }: Json) => MessageId.endsWith('.HttpsPortKept')))
  })

  t.test('the port outlives a restart, but for one that names another', async (t) => {
    const [old, next] = await freePorts()
    const server = await start(t, host, { port: old })
    t.equal((await server.patch(protocols, to(next, 0))).status, 200)
    await refuses(old)
    const moved = server.at(next)
    t.equal((await moved.post('/redfish/v1/Managers/1/Actions/Manager.Reset/', {})).status, 200)
    await moved.until(
      () => moved.get(entries),
      ({ json }) => json.Members.filter((each: Json) => each.MessageId.endsWith('.ControllerStarted')).length === 2
    )
    t.same(await shown(moved), [next, null])
    await moved.stop()
    const { data } = server
    const again = await start(t, host, { port: old, data })
    t.equal(again.port, next)
    await again.stop()
    const named = await start(t, host, { data })
    t.notOk([old, next].includes(named.port))
    t.same(await shown(named), [null, null])
    await named.stop()
    t.equal((await start(t, host, { port: old, data })).port, old, 'what clients had set is forgotten then')
  })

  t.test('a port without clients is rolled back', async (t) => {
    const [old, next] = await freePorts()
    const server = await start(t, host, { port: old })
    t.equal((await server.patch(protocols, to(next, 1))).status, 200)
    await server.until(
      () => server.get(protocols),
      ({ json }) => json.HTTPS.Port === old
    )
    await refuses(next)
    const { json } = await server.get(entries)
    const back = json.Members.find(({ MessageId }: Json) => MessageId.endsWith('.HttpsPortTakenBack'))
    t.same(back.MessageArgs, [String(old), '1'])
    t.equal((await server.patch(protocols, to(next, 0))).status, 200, 'it can be had again')
    await refuses(old)
    t.same(await shown(server.at(next)), [next, null])
  })

  t.test('a change on trial is tried again after a loss of power', async (t) => {
    const [old, next, third] = await freePorts()
    const server = await start(t, host, { port: old })
    t.equal((await server.patch(protocols, to(next, 3600))).status, 200)
    await server.kill()
    const again = await start(t, host, { port: old, data: server.data })
    t.equal(again.port, next)
    t.same(await shown(again.at(old)), [next, 3600])
    t.equal((await again.at(old).patch(protocols, to(third, 3600))).status, 200)
    await refuses(next)
    t.equal((await again.at(old).patch(protocols, to(old))).status, 200)
    t.same(await shown(again.at(old)), [old, null], 'back without a trial')
    await refuses(third)
    await again.kill()
    const last = await start(t, host, { port: third, data: server.data })
    t.equal((await last.patch(protocols, to(next, 3600))).status, 200)
    await last.kill()
    await taken(t, next)
    const without = await start(t, host, { port: third, data: server.data })
    t.same([without.port, await shown(without)], [old, [old, null]], 'a port that is gone is taken back at once')
  })

  t.test('a port that cannot be had is refused', async (t) => {
    const [old, other] = await freePorts()
    const server = await start(t, host, { port: old })
    await taken(t, other)
    const refused = await server.patch(protocols, to(other))
    const conflict = `Base.PropertyValueResourceConflict(HTTPS/Port, ${other}, ${protocols.slice(0, -1)})`
    t.same([refused.status, messagesOf(refused)], [409, [conflict]])
    t.equal((await server.patch(protocols, to(65_536))).status, 400)
    t.equal((await server.patch(protocols, to(0))).status, 400)
    t.same(await shown(server), [old, null])
  })

  t.test('a file has the port, for those who have to know it', async (t) => {
    const [old, next, third] = await freePorts()
    const folder = directory(t)
    const configuration = { portFile: `${folder}/port` }
    const told = () => Number(readFileSync(configuration.portFile, 'utf8'))
    const server = await start(t, host, { port: old, configuration })
    t.equal(told(), old)
    t.equal((await server.patch(protocols, to(next, 3600))).status, 200)
    t.equal(told(), next, 'from the trial on')
    t.equal((await server.patch(protocols, to(old))).status, 200)
    t.equal(told(), old)
    t.equal((await server.patch(protocols, to(next, 0))).status, 200)
    await server.kill()
    rmSync(configuration.portFile)
    const again = await start(t, host, { port: old, configuration, data: server.data })
    t.same([told(), again.port], [next, next], 'at each start')
    rmSync(folder, { recursive: true })
    const refused = await again.patch(protocols, to(third, 0))
    t.equal(refused.status, 409, 'a port that cannot be written to the port file is refused')
    await refuses(third)
    t.same(await shown(again), [next, null])
  })

  t.test('clients who look for it find it at the new port', async (t) => {
    const [old, next] = await freePorts()
    const server = await start(t, host, { port: old })
    const client = await listener(t, '239.255.255.250')
    const on = { SSDP: { Port: client.port, ProtocolEnabled: true } }
    t.equal((await server.patch(protocols, on)).status, 200)
    const alive = (port: number) => (text: string) =>
      text.includes('NTS: ssdp:alive') && text.includes(`AL: https://127.0.0.1:${port}/`)
    await client.hears(alive(old))
    t.equal((await server.patch(protocols, to(next))).status, 200)
    t.ok(await client.hears(alive(next)))
  })
})

async function shown(server: Server): Promise<unknown[]> {
  const { json } = await server.get(protocols)
  return [json.HTTPS.Port, json.Oem.Vendor.RollbackTime]
}

/** Settles when no change is on trial. */
async function kept(server: Server): Promise<void> {
  await server.until(
    () => server.get(protocols),
    ({ json }) => json.Oem.Vendor.RollbackTime === null
  )
}

/** Settles when a port of this machine has no listener. */
async function refuses(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isRefused = await once(socket, 'connect').then(
      () => false,
      () => true
    )
    socket.destroy()
    if (isRefused) return
    await pause(25)
  }
}

/** Ports without a listener. */
async function freePorts(): Promise<[number, number, number]> {
  return [await freePort(), await freePort(), await freePort()]
}

/** Listens on a port until the test ends. */
async function taken(t: Test, port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
}
