import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import type { Console } from '#hal/console.ts'
import { HalError } from '#hal/errors.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import type { Caller, Peer } from '#runtime/contract'
import { Consoles } from '#runtime/service/console/consoles.ts'
import { Store } from '#runtime/store/store.ts'
import { refusal } from '#test/runtime/service/refusal.ts'

const ann: Caller = {
  ...{ account: 'ann', user: 'ann', role: '', address: '192.0.2.1', passwordChangeRequired: false },
  privileges: new Set()
}

/** The consoles of the systems 1 and 2, for two clients. */
async function open(
  t: Test,
  write: (system: string, bytes: Uint8Array) => void = () => {},
  limits = { unread: 100, history: 8 }
) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  const outputs = new Map(['1', '2'].map((system) => [system, new Listeners<Uint8Array>()]))
  const devices = [...outputs].map(([system, listeners]): [string, Console] => [
    system,
    { write: (bytes) => write(system, bytes), on: (listener) => listeners.add(listener), close: async () => {} }
  ])
  const settings = { ...configuration.console, sessions: 2, ...limits }
  const consoles = new Consoles(store, new Map(devices), settings)
  return {
    ...{ store, consoles },
    say: (system: string, text: string) => outputs.get(system)?.emit(Buffer.from(text)),
    /** A client that has so many bytes to read, and what happens to it. */
    connect(system: string, unread = 0, withHistory?: boolean) {
      const seen: (string | number)[] = []
      const peer: Peer = {
        write: (bytes) => void seen.push(Buffer.from(bytes).toString()),
        unread: () => unread,
        end: (reason) => void seen.push(reason),
        cut: () => void seen.push('cut')
      }
      return { seen, ...consoles.begin(system, ann, withHistory)(peer) }
    }
  }
}

t.test('all clients of a console see its output, and later ones find the last of it', async (t) => {
  const { consoles, say, connect } = await open(t)
  const [first, second, other] = [connect('1'), connect('1').seen, consoles]
  say('1', 'hello ')
  say('2', 'other')
  say('1', 'there')
  t.same(
    [first.seen, second],
    [
      ['hello ', 'there'],
      ['hello ', 'there']
    ]
  )
  t.equal(Buffer.from(other.recent('1')).toString(), 'lo there')
  first.gone(true)
  say('1', '!')
  t.same([first.seen.length, second.length], [2, 3])
})

t.test('the first message to a client that asks for it is the last output', async (t) => {
  const { say, connect } = await open(t)
  const early = connect('1', 0, true).seen
  say('1', '0123456789')
  const late = connect('1', 0, true).seen
  say('1', '!')
  t.same(
    [early, late],
    [
      ['', '0123456789', '!'],
      ['23456789', '!']
    ]
  )
})

t.test('of the last output a client gets no more than it may have unread', async (t) => {
  const narrow = await open(t, () => {}, { history: 8, unread: 3 })
  narrow.say('1', '0123456789')
  t.same(narrow.connect('1', 0, true).seen, ['789'])
})

t.test('a client types to the host of its console', async (t) => {
  const typed: string[] = []
  const { connect } = await open(t, (system, bytes) => typed.push(`${system}: ${Buffer.from(bytes)}`))
  connect('2').received(Buffer.from('ls'))
  t.same(typed, ['2: ls'])
})

for (const [code, title, expected] of [
  ['ENODEV', 'typing to a host that is off changes nothing', []],
  ['EBUSY', 'a host that takes no more ends the session with "try again later"', [1013]],
  ['EIO', 'a line that fails ends the session with "internal error"', [1011]]
] as const) {
  t.test(title, async (t) => {
    const { connect } = await open(t, () => {
      throw new HalError(code, 'it fails')
    })
    const { seen, received } = connect('1')
    received(Buffer.from('x'))
    t.same(seen, expected)
  })
}

t.test('there are `console.sessions` places, promised ones included', async (t) => {
  const { consoles, connect } = await open(t)
  consoles.begin('1', ann)
  const { gone } = connect('2')
  const attempt = () => refusal(() => connect('1'))
  t.equal(attempt(), '503 Base.ServiceTemporarilyUnavailable 30')
  gone(true)
  t.equal(attempt(), 'taken')
  t.match(attempt(), '503')
})

t.test('the log names who opens a console, who closes it, and who does not read it', async (t) => {
  const { store, connect, say } = await open(t)
  const lines: unknown[] = []
  for (const level of ['info', 'warning'] as const) {
    t.capture(store.log, level, (...line: unknown[]) => void lines.push([level, ...line]))
  }
  const { gone } = connect('2', 101)
  say('2', 'x')
  gone(true)
  const who = { system: '2', user: 'ann', address: '192.0.2.1' }
  t.strictSame(lines, [
    ['info', 'a console is opened', who],
    ['warning', 'a console was closed: its client did not read it', who],
    ['info', 'a console is closed', who]
  ])
})

t.test('a system without a console is not found', async (t) => {
  const { consoles } = await open(t)
  t.match(
    refusal(() => consoles.begin('3', ann)),
    '404'
  )
  t.match(
    refusal(() => consoles.recent('3')),
    '404'
  )
})

t.test('a client with more than `console.unread` bytes to read loses its connection', async (t) => {
  const { say, connect } = await open(t)
  const [slow, dead] = [connect('1', 100), connect('1', 101)]
  say('1', 'x')
  t.same([slow.seen, dead.seen], [['x'], ['cut']])
})

t.test('a stop of the service tells all clients that it goes away', async (t) => {
  const { consoles, connect } = await open(t)
  const clients = [connect('1'), connect('2')]
  consoles.close()
  t.same(
    clients.map(({ seen }) => seen),
    [[1001], [1001]]
  )
})
