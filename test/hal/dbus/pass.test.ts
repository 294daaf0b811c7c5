// own process: it starts message buses and services on them, loads an addon, and counts its descriptors

import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import t, { type Test } from 'tap'
import { Bus } from '#hal/dbus/bus.ts'
import { type OpenChannel, openSocket } from '#hal/dbus/channel.ts'
import { callPassing } from '#hal/dbus/pass.ts'
import { openChannel } from '#hal/native'
import { brokers, TestBus } from './buses.ts'
import { fakeBus, reply } from './fake-bus.ts'

process.env.MINNOW_NATIVE = resolve('dist/native')

t.setTimeout(900_000)

const echo = { destination: 'test.Echo', path: '/', interface: 'test.Echo', member: 'Echo' }

const opened = () => readdirSync('/proc/self/fd').length

function file(t: Test, content: string): number {
  const path = `${t.testdir()}/file`
  writeFileSync(path, content)
  const descriptor = openSync(path, 'r')
  t.teardown(() => closeSync(descriptor))
  return descriptor
}

/** A connection with which descriptors arrive, so many as `next` says. */
const arriving =
  (next: () => number): OpenChannel =>
  (path, events) => {
    const data = (bytes: Uint8Array) =>
      events.data(
        bytes,
        Array.from({ length: next() }, () => openSync('/dev/null', 'r'))
      )
    return openSocket(path, { ...events, data })
  }

for (const kind of brokers) {
  t.test(`${kind}: a descriptor passes to a service of libdbus, and back`, async (t) => {
    const own = await TestBus.start(t, kind)
    await own.python('test/hal/dbus/fixtures/echo.py')
    const sent = file(t, 'a firmware image')
    const before = opened()
    const call = { ...echo, signature: 'shs', values: ['first', 0, 'last'], descriptors: [sent] }
    const { values, descriptors } = await callPassing(openChannel, own.socket, call)
    t.same(values, ['first', 0, 'last'])
    t.equal(descriptors.length, 1)
    t.equal(readFileSync(descriptors[0] as number, 'utf8'), 'a firmware image')
    closeSync(descriptors[0] as number)
    t.equal(opened(), before, 'nothing else is left open')
  })

  t.test(`${kind}: descriptors that were not asked for are closed`, async (t) => {
    const own = await TestBus.start(t, kind)
    const bus = await Bus.open(own.socket, undefined, openChannel)
    t.teardown(() => bus.close())
    const [destination = ''] = own.busctl('list').match(/^:\S+/m) ?? []
    const other = await Bus.open(own.socket, undefined, openChannel)
    t.teardown(() => other.close())
    await own.python('test/hal/dbus/fixtures/echo.py')
    const descriptors = Array.from({ length: 9 }, () => file(t, 'unasked'))
    const [signature, values] = ['h'.repeat(9), descriptors.map((_, place) => place)]
    const before = opened()
    for (let times = 0; times < 5; times++) {
      const call = other.call({ destination, path: '/', interface: 'a.b', member: 'C', signature, values, descriptors })
      await t.rejects(call, { code: 'ENODEV', message: /UnknownMethod/ })
      t.same(await bus.call({ ...echo, signature, values, descriptors }), values)
    }
    t.equal(opened(), before)
  })
}

t.test('a call fails if descriptors cannot pass', async (t) => {
  const own = await TestBus.start(t)
  const call = { ...echo, signature: 'h', values: [0], descriptors: [4000] }
  await t.rejects(callPassing(openChannel, own.socket, call), { code: 'EIO', message: /Bad file descriptor/ })
  const many = { ...call, descriptors: Array(17).fill(0) }
  await t.rejects(callPassing(openChannel, own.socket, many), { code: 'EINVAL' })
  await t.rejects(callPassing(openChannel, '/nowhere/bus', call), { code: 'ENODEV', message: /No such file/ })
  const { socket } = await fakeBus(t, () => [], undefined, 'ERROR\r\n')
  await t.rejects(callPassing(openChannel, socket, call), { code: 'ENODEV', message: /passes no descriptors/ })
  const silent = await fakeBus(t, ({ member, serial }) => (member === 'Hello' ? [reply(serial, ':1.1')] : []))
  const before = opened()
  await t.rejects(callPassing(openChannel, silent.socket, { ...echo, timeout: 50 }), { code: 'ETIMEDOUT' })
  t.equal(opened(), before)
})

t.test('a connection ends with EIO when too many descriptors arrive, or any with an invalid message', async (t) => {
  const invalid = reply(1, 'x', { serial: 1 })
  invalid[1] = 0
  const cases = [
    [17, reply(2, 'x'), /too many descriptors/],
    [1, invalid, /an invalid message has descriptors/]
  ] as const
  for (const [count, message, reason] of cases) {
    const { socket } = await fakeBus(t, ({ member, serial }) =>
      member === 'Hello' ? [reply(serial, ':1.1')] : [message]
    )
    let next = 0
    const bus = await Bus.open(
      socket,
      undefined,
      arriving(() => next)
    )
    const before = opened()
    next = count
    await t.rejects(bus.ask('GetId', '', []), { code: 'EIO', message: reason })
    t.ok(opened() < before, 'the connection is closed, and they are')
  }
})
