// Each noun declares its tables when it is loaded, which the handlers of the product see to.
import '#generated'
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { Session } from '#data/accounts'
import { configuration } from '#data/configuration'
import type { User, Users } from '#hal/users.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { readBoard } from '#runtime/command/board-file.ts'
import type { Event } from '#runtime/contract'
import { Accounts } from '#runtime/service/accounts/credentials.ts'
import { MachineUsers } from '#runtime/service/accounts/machine-users.ts'
import { Sessions } from '#runtime/service/accounts/sessions.ts'
import { Events } from '#runtime/service/events/events.ts'
import { openDocuments } from '#runtime/store/documents.ts'
import { Store } from '#runtime/store/store.ts'

const board = readBoard('sim', openDocuments(readFileSync('dist/documents.bin')))
const address = '192.0.2.1'
const start = 1_700_000_001_000

/** Two sessions, `1` and `2`, of the account `ann` with a timeout of 100 s, on a clock that the test sets. */
async function open(t: Test, more: Partial<Session> = {}, most = 3) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  let [elapsed, ahead] = [1000, start - 1000]
  const clock = { elapsed: () => elapsed, now: () => elapsed + ahead }
  const events = new Events(store, board, configuration, clock.now)
  const accounts = new Accounts(store, configuration, events, clock, { open: () => undefined })
  const account = { name: 'ann', role: 'Operator', password: '', enabled: true, generation: 'a' } as const
  const session = (id: string) => ({
    ...{
      user: 'ann',
      token: accounts.digest(`token ${id}`),
      createdAt: start,
      accessedAt: start,
      address,
      generation: 'a'
    },
    ...more
  })
  await store.commit({
    account: { ann: { ...account, passwordChangeRequired: false, lockedUntil: 0 } },
    sessionService: { settings: { timeout: 100 } },
    session: { 1: session('1') }
  })
  const standing = new Set(['card'])
  const settings = { ...configuration, limits: { ...configuration.limits, sessions: most } }
  const sessions = new Sessions(store, accounts, { standsFor: (id) => standing.has(id) }, settings, clock)
  await store.commit({ session: { 2: session('2') } })
  return {
    ...{ store, accounts, sessions, standing, session },
    find: (id: string) => sessions.find(`token ${id}`, address)?.user,
    pass(seconds: number) {
      elapsed += seconds * 1000
    },
    setClock(seconds: number) {
      ahead += seconds * 1000
    },
    /** The sessions of the store, with the seconds from the start to their last use. */
    stored: async () => {
      await store.commit({})
      return store.keys('session').map((id) => [id, ((store.get('session', id)?.accessedAt ?? 0) - start) / 1000])
    }
  }
}

t.test('a token makes the caller of its session', async (t) => {
  const { store, sessions, find } = await open(t)
  t.match(sessions.find('token 1', '192.0.2.7'), { account: 'ann', session: '1', address: '192.0.2.7' })
  t.equal(find('2'), 'ann')
  t.equal(find('3'), undefined)
  await store.commit({ session: { 1: null } })
  const commits = t.capture(store, 'commit', async () => true)
  t.equal(find('1'), undefined)
  t.equal(commits().length, 0, 'a session that has ended does not end again')
})

t.test('a use of a session that the disk does not store is logged', async (t) => {
  const { store, find, pass } = await open(t)
  t.capture(store, 'commit', async () => {
    throw new Error('the disk is full')
  })
  const lines = t.capture(store.log, 'error', () => {})
  pass(50)
  t.equal(find('1'), 'ann')
  await new Promise(setImmediate)
  t.match(
    lines().map(({ args }) => args),
    [['the use of a session was not stored', { cause: 'the disk is full' }]]
  )
})

t.test('a session ends when it was idle for its timeout, which each use begins anew', async (t) => {
  const { sessions, find, pass, stored } = await open(t)
  pass(99.999)
  t.equal(find('1'), 'ann')
  pass(0.001)
  t.equal(find('2'), undefined)
  t.same(await stored(), [['1', 99.999]])
  t.equal(sessions.current('1', address)?.user, 'ann')
  pass(99.999)
  t.equal(sessions.current('1', address), undefined, 'looking is no use')
})

t.test('a session ends with a change of its account', async (t) => {
  for (const change of [{ enabled: false }, { generation: 'b' }, null]) {
    await t.test(JSON.stringify(change), async (t) => {
      const { store, find, stored } = await open(t)
      await store.commit({ account: { ann: change } })
      t.equal(find('1'), undefined)
      t.same(await stored(), [['2', 0]])
    })
  }
})

t.test('a session that a certificate opened ends when that stands for the user no longer', async (t) => {
  const { sessions, standing, find } = await open(t, { certificate: 'card' })
  t.match(sessions.find('token 1', address), { certificate: 'card' })
  t.equal(sessions.untilStored('1'), undefined, 'a host does not judge that')
  standing.clear()
  t.equal(find('1'), undefined)
})

t.test('the last use is stored when it is more than a tenth of the timeout off', async (t) => {
  const { sessions, find, pass, setClock, stored } = await open(t)
  pass(10)
  t.equal(find('1'), 'ann')
  t.match(sessions.untilStored('1'), { time: 0 })
  t.same((await stored())[0], ['1', 0])
  pass(0.001)
  t.equal(find('1'), 'ann')
  t.same((await stored())[0], ['1', 10.001])
  t.match(sessions.untilStored('1'), { time: 10_000 })
  pass(2.5)
  t.match(sessions.untilStored('1'), { time: 7500 })
  t.equal(sessions.untilStored('3'), undefined)
  setClock(3600)
  t.match(sessions.untilStored('1'), { time: 0 }, 'as soon as the clock was set')
})

t.test(
  'sessions that are over are ended, and the store says when others were used as the clock is set now',
  async (t) => {
    const { store, sessions, find, pass, setClock, stored } = await open(t)
    pass(50)
    find('2')
    setClock(3600)
    sessions.tend()
    t.same(await stored(), [
      ['1', 3600],
      ['2', 3650]
    ])
    t.equal(sessions.accessed('2'), start + 3_650_000)
    pass(50)
    sessions.tend()
    t.same(await stored(), [['2', 3650]])
    const revision = store.revisions.of('session/')
    sessions.tend()
    await store.commit({})
    t.equal(store.revisions.of('session/'), revision, 'nothing else is due')
  }
)

t.test('a session beyond the limit is over, and has a place once another has ended', async (t) => {
  const { store, session, find } = await open(t, {}, 2)
  await store.commit({ session: { 3: session('3') } })
  await store.commit({ session: { 1: null } })
  t.equal(find('3'), undefined)
  await store.commit({})
  await store.commit({ session: { 4: session('4') } })
  t.equal(find('4'), 'ann')
})

t.test('the members of a context note that the answer depends on the sessions', async (t) => {
  const { sessions } = await open(t)
  const noted: string[] = []
  const { accessed } = sessions.members({ depends: (on: string) => void noted.push(on) } as never)
  t.same(noted, [])
  t.equal(accessed('1'), start)
  t.same(noted, ['session'])
})

t.test('sessions wait until the machine has said which users there are', async (t) => {
  const { store, accounts, sessions, find, stored } = await open(t)
  const listeners = new Listeners<ReadonlySet<string>>()
  let known: Map<string, User> | undefined
  const never = () => Promise.reject(new Error('not of this test'))
  const machine: Users = {
    get users() {
      return known
    },
    policy: { state: undefined, set: never, on: () => () => undefined },
    ...{ create: never, change: never, remove: never, verify: never },
    on: (listener) => listeners.add(listener),
    close: async () => undefined
  }
  const told: string[] = []
  const emit = (...events: readonly Event[]) => {
    for (const { message, origin } of events) told.push(`${message.key} ${origin}`)
  }
  accounts.delegate(new MachineUsers(store, { emit }, machine))
  t.equal(find('1'), undefined)
  sessions.tend()
  t.same(await stored(), [
    ['1', 0],
    ['2', 0]
  ])
  known = new Map([['ann', { role: 'Operator', enabled: true, locked: false, expired: false }]])
  listeners.emit(new Set(['ann']))
  t.equal(find('1'), 'ann')
  t.same(told, [], 'nothing has changed')
  known = new Map()
  listeners.emit(new Set(['ann']))
  sessions.tend()
  t.same(await stored(), [])
  t.same(told, ['ResourceEvent.ResourceRemoved /redfish/v1/AccountService/Accounts/ann'])
})

t.test('a session that ends while its use is stored does not come back', async (t) => {
  const { store, find, pass, stored } = await open(t)
  pass(50)
  const ended = store.commit({ session: { 1: null } })
  t.equal(find('1'), 'ann')
  await ended
  t.same(await stored(), [['2', 0]])
})
