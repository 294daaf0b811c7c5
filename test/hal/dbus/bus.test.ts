// own process: it starts message buses and services on them

import t, { type Test } from 'tap'
import { Bus, type Signal } from '#hal/dbus/bus.ts'
import { random } from '#test/campaign.ts'
import { brokers, TestBus } from './buses.ts'
import { fakeBus, reply } from './fake-bus.ts'
import { randomValues, shown } from './random-values.ts'

t.setTimeout(900_000)

const echo = { destination: 'test.Echo', path: '/', interface: 'test.Echo', member: 'Echo' }

async function opened(t: Test, { socket }: { readonly socket: string }): Promise<Bus> {
  const bus = await Bus.open(socket)
  t.teardown(() => bus.close())
  return bus
}

for (const kind of brokers) {
  t.test(`${kind}: values of every type come back from libdbus as they were sent`, async (t) => {
    const own = await TestBus.start(t, kind)
    await own.python('test/hal/dbus/fixtures/echo.py')
    const bus = await opened(t, own)
    const next = randomValues(random('5'), true)
    for (let count = 0; count < 300; count++) {
      const { signature, values } = next()
      const answer = await bus.call({ ...echo, signature, values })
      if (shown(answer) !== shown(values)) t.equal(shown(answer), shown(values), signature)
    }
    const all = Array.from({ length: 90 }, (_, at) => bus.call({ ...echo, signature: 'i', values: [at] }))
    t.same(
      await Promise.all(all),
      Array.from({ length: 90 }, (_, at) => [at]),
      'each call has its own answer'
    )
  })

  t.test(`${kind}: signals of other programs are heard by rule`, async (t) => {
    const own = await TestBus.start(t, kind)
    const bus = await opened(t, own)
    const heard: string[] = []
    const last = new Promise<void>((resolve) => {
      bus.signals.add(({ path, interface: name, member, values }: Signal) => {
        if (name !== 'a.b') return
        heard.push(`${path} ${member} ${shown(values())}`)
        if (member === 'Last') resolve()
      })
    })
    await bus.match({ interface: 'a.b', path_namespace: '/wanted' })
    own.busctl('emit', '/other', 'a.b', 'First', 's', 'not heard')
    own.busctl('emit', '/wanted/1', 'a.b', 'First', 'sv', 'heard', 'i', '7')
    own.gdbus('emit', '--object-path', '/wanted', '--signal', 'a.b.Second', "{'a': <uint64 5>}")
    own.busctl('emit', '/wanted', 'a.b', 'Last', '')
    await last
    t.same(heard, ['/wanted/1 First ["heard",<i 7>]', '/wanted Second [{"a": <t 5n>}]', '/wanted Last []'])
  })

  t.test(`${kind}: a failed call tells why`, async (t) => {
    const own = await TestBus.start(t, kind)
    const program = await own.python('test/hal/dbus/fixtures/echo.py')
    const bus = await opened(t, own)
    const silent = { ...echo, member: 'Silent' }
    await t.rejects(bus.call({ ...echo, destination: 'test.Nobody' }), { code: 'ENODEV', message: /ServiceUnknown/ })
    await t.rejects(bus.ask('GetNameOwner', 's', ['test.Nobody']), { code: 'ENODEV', message: /NameHasNoOwner/ })
    await t.rejects(bus.ask('GetNameOwner', 'u', [1]), { code: 'EINVAL', message: /InvalidArgs/ })
    await t.rejects(bus.call({ ...silent, timeout: 20 }), { code: 'ETIMEDOUT', message: /no answer in 20 ms$/ })
    await t.rejects(bus.call({ ...echo, signature: 'y', values: [300] }), { code: 'EINVAL' }, 'nothing is sent')
    const many = Promise.allSettled(Array.from({ length: 99 }, () => bus.call({ ...silent, timeout: 30_000 })))
    const passedOn = bus.ask('GetId', '', [])
    await t.rejects(bus.call(silent), { code: 'EBUSY' })
    await passedOn
    await own.kill(program)
    const failures = (await many).map((each) => (each.status === 'rejected' ? each.reason : undefined))
    for (const failure of failures) t.match(failure, { code: 'ETIMEDOUT', message: /NoReply/ })
    const waiting = bus.ask('GetId', '', [])
    const closed = new Promise<void>((resolve) => {
      bus.onClose = resolve
    })
    await waiting
    await own.stop()
    await closed
    await t.rejects(bus.ask('GetId', '', []), { code: 'ENODEV' })
    await t.rejects(Bus.open(own.socket), { code: 'ENODEV', message: /ENOENT/ })
  })

  t.test(`${kind}: a program that calls this one is told that there is nothing`, async (t) => {
    const own = await TestBus.start(t, kind)
    await opened(t, own)
    const [destination] = own.busctl('list').match(/^:\S+/m) ?? []
    const other = await opened(t, own)
    const call = other.call({ destination: destination as string, path: '/', interface: 'a.b', member: 'C' })
    await t.rejects(call, { code: 'ENODEV', message: /UnknownMethod/ })
  })
}

t.test('only the one that was called is believed, once', async (t) => {
  const late: Uint8Array[] = []
  const bus = await opened(
    t,
    await fakeBus(t, ({ serial }) => {
      const answers = [
        ...late,
        reply(serial, 'false', { sender: ':1.66' }),
        reply(serial, 'true'),
        reply(serial, 'again')
      ]
      late[0] = reply(serial, 'too late')
      return answers
    })
  )
  t.same(await bus.ask('GetId', '', []), ['true'])
  t.same(await bus.ask('GetId', '', []), ['true'])
})

t.test('messages that are not valid are ignored, and an answer that is not fails its call', async (t) => {
  const bus = await opened(
    t,
    await fakeBus(t, ({ serial, member }) => {
      if (member === 'Hello') return [reply(serial, ':1.1')]
      const broken = reply(serial, 'x')
      broken[broken.length - 1] = 1
      const invalid = reply(serial, 'x', { answers: 1, error: 'a.b', kind: 'error' })
      invalid[1] = 4
      const long = reply(serial, '', { signature: 'ay' }, [new Uint8Array(2 ** 24)])
      return [invalid, member === 'Long' ? long : member === 'Broken' ? broken : reply(serial, 'fine')]
    })
  )
  await t.rejects(bus.ask('Broken', '', []), { code: 'EIO', message: /a text with a wrong end/ })
  await t.rejects(bus.ask('Long', '', []), { code: 'EIO', message: /too long/ })
  t.same(await bus.ask('Other', '', []), ['fine'])
})

t.test('a bus that speaks another protocol, refuses the user or is silent is not used', async (t) => {
  const noise = async (accept: string) => (await fakeBus(t, () => [], accept)).socket
  await t.rejects(Bus.open(await noise('REJECTED EXTERNAL\r\n')), { code: 'EACCES' })
  await t.rejects(Bus.open(await noise('x'.repeat(2000))), { code: 'EACCES' })
  await t.rejects(Bus.open(await noise('DATA\r\n'), 50), { code: 'ETIMEDOUT' })
  await t.rejects(Bus.open(await noise('OK 1\r\n'), 50), { code: 'ETIMEDOUT' }, 'no name')
  const { socket } = await fakeBus(t, () => [Buffer.alloc(16, 'x')])
  await t.rejects(Bus.open(socket), { code: 'EIO' })
  const { socket: closing } = await fakeBus(t, (_, connection) => {
    connection.end()
    return []
  })
  await t.rejects(Bus.open(closing), { code: 'ENODEV' })
})
