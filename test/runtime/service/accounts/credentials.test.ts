import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { AccountPolicy } from '#data/accounts'
import { type Configuration, configuration } from '#data/configuration'
import { readBoard } from '#runtime/command/board-file.ts'
import { type Event, MessageError, type Reader } from '#runtime/contract'
import { Accounts } from '#runtime/service/accounts/credentials.ts'
import { Unreachable } from '#runtime/service/accounts/user-source.ts'
import { Events } from '#runtime/service/events/events.ts'
import { openDocuments } from '#runtime/store/documents.ts'
import { Store } from '#runtime/store/store.ts'

const board = readBoard('sim', openDocuments(readFileSync('dist/documents.bin')))
const address = '192.0.2.1'
const password = 'Green-Door-4'
const wrong = '401 Mgmt.UnauthorizedLoginAttempt'
const delayed = (seconds: number) => `401 Mgmt.LoginAttemptDelayedSeconds ${seconds}`

/** The accounts `ann` and `bob` of one password, on a clock that the test sets, and the keys of the events sent. */
async function open(t: Test, policy: Partial<AccountPolicy> = {}, more: Partial<Configuration> = {}) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  let [elapsed, ahead] = [1000, 1_700_000_000_000]
  const clock = { elapsed: () => elapsed, now: () => elapsed + ahead }
  const events = new Events(store, board, configuration, clock.now)
  const sent: Event[] = []
  t.capture(events, 'emit', async (event: Event) => void sent.push(event))
  const settings = { ...configuration, password: { ...configuration.password, iterations: 10 }, ...more }
  const begin = () => new Accounts(store, settings, events, clock, { open: () => undefined })
  const accounts = begin()
  const record = {
    ...{ role: 'Operator', enabled: true, passwordChangeRequired: false, lockedUntil: 0 },
    password: await accounts.hash({ account: '', address }, password)
  }
  await store.commit({ account: { ann: { ...record, name: 'ann' }, bob: { ...record, name: 'bob' } } })
  if (Object.keys(policy).length > 0) await store.commit({ accountService: { settings: policy } })
  /** The result of a login: the user, or the status, the message and the seconds of `Retry-After`. */
  const login = (user: string, secret = password) =>
    accounts.verify(user, secret, address).then(
      (caller) => caller.user,
      (error: unknown) => {
        if (!(error instanceof MessageError)) throw error
        return [error.status, error.messages[0]?.key, error.headers['Retry-After'] ?? ''].join(' ').trim()
      }
    )
  return {
    ...{ store, accounts, login, begin },
    async fail(times: number, user = 'ann') {
      for (let failed = 0; failed < times; failed += 1) await login(user, `wrong ${failed}`)
    },
    pass(milliseconds: number) {
      elapsed += milliseconds
    },
    setClock(milliseconds: number) {
      ahead += milliseconds
    },
    /** The events since the last call. */
    told: () => sent.splice(0).map(({ message: { key, args } }) => [key, ...args].join(' '))
  }
}

const count = (told: readonly string[], text: string) => told.filter((each) => each.startsWith(text)).length

t.test('failed logins lock an account for a time, and other accounts are as they were', async (t) => {
  const { accounts, store, login, fail, pass, told } = await open(t, { lockoutThreshold: 3, lockoutDuration: 10 })
  await fail(2)
  t.equal(await login('ann', 'x'), wrong)
  t.ok(accounts.isLocked('ann'))
  t.equal(store.get('account', 'ann')?.lockedUntil, 1_700_000_011_000)
  t.equal(await login('ann'), delayed(10))
  pass(9001)
  t.equal(await login('ann'), delayed(1))
  t.equal(await login('bob'), 'bob')
  t.notOk(accounts.isLocked('bob'))
  pass(999)
  t.notOk(accounts.isLocked('ann'))
  await fail(2)
  t.equal(await login('ann'), 'ann', 'failures from before it do not count')
  t.same(told(), [...new Array(3).fill(`MgmtEvents.LoginFailed ann ${address}`), 'MgmtEvents.AccountLocked ann'])
})

t.test('a login, and enough time, have failures forgotten', async (t) => {
  const { login, fail, pass } = await open(t, { lockoutThreshold: 2, lockoutCounterResetAfter: 10 })
  await fail(1)
  t.equal(await login('ann'), 'ann')
  await fail(1)
  pass(10_000)
  await fail(1)
  t.equal(await login('ann'), 'ann', 'after 10 s')
  await fail(1, 'bob')
  pass(9999)
  await fail(1, 'bob')
  t.equal(await login('bob'), delayed(60), 'before')
})

t.test('without a threshold no account is locked, and few events are sent', async (t) => {
  const { accounts, login, fail, told } = await open(t, { lockoutThreshold: 0 })
  await fail(9)
  t.equal(await login('ann'), 'ann')
  t.notOk(accounts.isLocked('ann'))
  t.equal(count(told(), 'MgmtEvents.LoginFailed ann'), configuration.lockout.threshold)
})

/** A directory that has the users `ann` and `eve`, of one password, and says who it was asked about. */
function directoryOf(secret: string) {
  const asked: string[] = []
  const directory = {
    asked,
    isEnabled: true,
    isDown: false,
    verifiedFor: -1,
    fault: undefined as Error | undefined,
    /** Called before each answer. */
    before: async (_secret: string) => {},
    has: (account: string) => account.startsWith('LDAP:'),
    revision: () => 1,
    named: () => undefined,
    async verify(user: string, given: string) {
      asked.push(user)
      await directory.before(given)
      if (directory.fault !== undefined) throw directory.fault
      if (given !== secret || !['ann', 'eve'].includes(user)) return undefined
      const rights = { role: 'ReadOnly', privileges: new Set<never>(), passwordChangeRequired: false }
      return { account: `LDAP:${user}`, user: `${user} of LDAP`, address, ...rights }
    }
  }
  return directory
}

t.test('local accounts and directories are asked as LocalAccountAuth says', async (t) => {
  const secret = 'Oak-Table-6'
  const unavailable = '503 Base.ServiceTemporarilyUnavailable 7'
  const { accounts, store, login } = await open(t, { lockoutThreshold: 0 })
  const [directory, off] = [directoryOf(secret), directoryOf(secret)]
  Object.assign(off, { isEnabled: false, isDown: true })
  accounts.consult([off, directory])
  const logins = async () => [await login('ann'), await login('ann', secret), await login('eve', secret)]
  const withoutPassword = (session?: string) =>
    accounts.named({ account: 'ann', ...(session !== undefined && { session }) }, address)?.user
  for (const [localAccounts, isDown, expected, named, asked] of [
    ['Enabled', false, ['ann', wrong, 'eve of LDAP'], 'ann', ['eve']],
    ['Enabled', true, ['ann', wrong, unavailable], 'ann', ['eve']],
    ['LocalFirst', false, ['ann', 'ann of LDAP', 'eve of LDAP'], 'ann', ['ann', 'eve']],
    ['LocalFirst', true, ['ann', wrong, unavailable], 'ann', ['ann', 'eve']],
    ['Fallback', false, [wrong, 'ann of LDAP', 'eve of LDAP'], undefined, ['ann', 'ann', 'eve']],
    ['Fallback', true, ['ann', wrong, unavailable], 'ann', ['ann', 'eve']],
    ['Disabled', false, [wrong, 'ann of LDAP', 'eve of LDAP'], undefined, ['ann', 'ann', 'eve']],
    ['Disabled', true, [unavailable, unavailable, unavailable], undefined, ['ann', 'ann', 'eve']]
  ] as const) {
    const title = `${localAccounts}, ${isDown ? 'down' : 'up'}`
    await store.commit({ accountService: { settings: { localAccounts } }, account: { ann: { loginName: title } } })
    Object.assign(directory, { isDown, fault: isDown ? new Unreachable(7) : undefined })
    directory.asked.length = 0
    t.equal(withoutPassword(), named, title)
    t.same(await logins(), expected, title)
    if (localAccounts !== 'Fallback' || !isDown) t.same(directory.asked, asked, title)
    t.equal(withoutPassword('1'), 'ann', 'sessions go on')
  }
  t.same(off.asked, [])
  directory.fault = new Error('a bug')
  await store.commit({ accountService: { settings: { localAccounts: 'LocalFirst' } } })
  await t.rejects(login('ann', secret), directory.fault)
  await store.commit({ accountService: { settings: { localAccounts: 'Disabled' } } })
  directory.isEnabled = false
  t.equal(await login('ann'), 'ann', 'without a directory local accounts log in')
  t.equal(withoutPassword(), 'ann')
})

t.test('a right password is refused once others have locked its account', async (t) => {
  const { accounts, store, login, fail } = await open(t, { lockoutThreshold: 1, lockoutDuration: 10 })
  const directory = directoryOf('Oak-Table-6')
  accounts.consult([directory])
  await store.commit({ accountService: { settings: { localAccounts: 'LocalFirst' } } })
  let answer = () => {}
  const asked = new Promise<void>((resolve) => {
    directory.before = (given) => (given === 'Oak-Table-6' ? held(resolve) : Promise.resolve())
  })
  const held = (begun: () => void) =>
    new Promise<void>((resolve) => {
      answer = resolve
      begun()
    })
  const late = login('ann', 'Oak-Table-6')
  await asked
  await fail(1)
  answer()
  t.equal(await late, delayed(10))
})

t.test('a failed login counts as one of an unknown user if the account was deleted meanwhile', async (t) => {
  const { accounts, store, login, told } = await open(t)
  const directory = directoryOf('Oak-Table-6')
  accounts.consult([directory])
  await store.commit({ accountService: { settings: { localAccounts: 'LocalFirst' } } })
  directory.before = async () => void (await store.commit({ account: { ann: null } }))
  t.equal(await login('ann', 'x'), wrong)
  t.same(told(), [`MgmtEvents.LoginFailed an unknown user ${address}`])
})

t.test('a login of a user without an account resets the count of failures', async (t) => {
  const { accounts, login } = await open(t, { lockoutThreshold: 2 })
  accounts.consult([directoryOf('Oak-Table-6')])
  for (const user of ['eve', 'EVE']) {
    t.equal(await login(user, 'x'), wrong)
    t.equal(await login('eve', 'Oak-Table-6'), 'eve of LDAP')
  }
  t.equal(await login('Eve', 'x'), wrong)
  t.equal(await login('eVe', 'x'), wrong)
  t.equal(await login('EVE', 'Oak-Table-6'), delayed(60), 'names are the same in any case')
})

t.test('the log says which account failed to log in and why, and never a name without an account', async (t) => {
  const { store, login } = await open(t)
  const lines = t.capture(store.log, 'warning', () => {})
  await login('ann', 'x')
  await login('eve', 'x')
  const reason = 'Mgmt.UnauthorizedLoginAttempt'
  t.same(
    lines().map(({ args }) => args),
    [
      ['a login failed', { user: 'ann', address, reason }],
      ['a login failed', { user: undefined, address, reason }]
    ]
  )
})

t.test('a lockout from before a restart keeps its length when the clock is set right after it', async (t) => {
  const { begin, store, setClock, pass } = await open(t)
  await store.commit({ account: { ann: { lockedUntil: 1_700_000_001_000 + 10_000 } } })
  const accounts = begin()
  setClock(3_600_000)
  t.ok(accounts.isLocked('ann'))
  pass(10_000)
  t.notOk(accounts.isLocked('ann'))
})

t.test('a name of no account is locked alike, and no event shows it', async (t) => {
  const { login, fail, pass, told } = await open(t, { lockoutThreshold: 2, lockoutDuration: 10 })
  t.equal(await login('eve'), wrong)
  await fail(1, 'eve')
  t.equal(await login('eve'), delayed(10))
  t.equal(await login('mallory'), wrong)
  t.same(told(), new Array(2).fill(`MgmtEvents.LoginFailed an unknown user ${address}`), 'of all names together')
  pass(10_000)
  t.equal(await login('eve'), wrong)
  pass(60_000)
  await fail(1, 'eve')
  t.equal(count(told(), 'MgmtEvents.LoginFailed an unknown user'), 1, 'after the time new ones are sent')
})

t.test('256 names of no account are remembered, and push no account out', async (t) => {
  const { login, fail } = await open(t, { lockoutThreshold: 1 })
  await fail(1, 'first')
  await fail(1, 'second')
  for (let n = 0; n < 254; n += 1) await login(`eve${n}`)
  t.equal(await login('first'), delayed(60))
  await login('eve254')
  t.equal(await login('first'), wrong, 'the oldest is forgotten')
  t.equal(await login('eve254'), delayed(60))
})

t.test('names without an account are forgotten by fewest failures, then by age', async (t) => {
  const { login, fail, pass } = await open(t, {
    ...{ lockoutThreshold: 2, lockoutCounterResetAfter: 10, lockoutDuration: 10 }
  })
  await fail(1, 'first')
  await fail(1, 'second')
  pass(10_000)
  await fail(2, 'third')
  await fail(1, 'first')
  for (let n = 0; n < 254; n += 1) await login(`eve${n}`)
  t.equal(await login('first'), wrong)
  t.equal(await login('first'), delayed(10), 'it was not forgotten')
  await login('eve254')
  t.equal(await login('third'), delayed(10))
})

t.test('the same credentials at the same time are checked once, others each', async (t) => {
  const { login, told } = await open(t, { lockoutThreshold: 3 })
  t.same(await Promise.all([login('ann', 'x'), login('ann', 'x'), login('ann', 'y')]), [wrong, wrong, wrong])
  t.equal(count(told(), 'MgmtEvents.LoginFailed'), 2)
})

t.test('credentials are recalled until the account changes', async (t) => {
  const { accounts, store, login, fail, pass } = await open(t, { lockoutThreshold: 1, lockoutDuration: 10 })
  const recalled = (user = 'ann', secret = password) => accounts.recall(btoa(`${user}:${secret}`), address)?.user
  t.equal(recalled(), undefined)
  await login('ann')
  t.equal(recalled(), 'ann')
  t.equal(recalled('ann', 'x'), undefined)
  t.equal(recalled('bob'), undefined)
  await store.commit({ account: { bob: { loginName: 'Bob' } } })
  t.equal(recalled(), 'ann', 'another account may change')
  await store.commit({ account: { ann: { loginName: 'Ann' } } })
  t.equal(recalled(), undefined)
  await login('ann')
  await fail(1)
  t.equal(recalled(), undefined, 'it is locked')
  pass(10_000)
  await login('ann')
  await store.commit({ account: { ann: { enabled: false } } })
  t.equal(recalled(), undefined)
  t.equal(await login('ann'), wrong)
  t.equal(accounts.named({ account: 'ann' }, address), undefined)
})

t.test('a colon in a name is no end of it', async (t) => {
  const { login, store, accounts } = await open(t)
  t.equal(await login('ann'), 'ann')
  t.equal(await login('ann:Green', '-Door-4'), wrong)
  await login('ann', 'x:y')
  t.equal(await login('ann:x', 'y'), wrong)
  await store.commit({ account: { ann: { password: await accounts.hash({ account: '', address }, 'x:y') } } })
  t.equal(await login('ann', 'x:y'), 'ann')
  t.equal(await login('ann:x', 'y'), wrong, 'although the two read alike together')
})

t.test('callers that share the check of one password keep their own addresses', async (t) => {
  const { accounts } = await open(t)
  const addresses = ['192.0.2.1', '192.0.2.2']
  const callers = await Promise.all(addresses.map((each) => accounts.verify('ann', password, each)))
  t.same(
    callers.map((caller) => caller.address),
    addresses
  )
})

t.test('a lockout that the disk refuses to store lasts as long', async (t) => {
  const { accounts, store, login, fail, pass } = await open(t, { lockoutThreshold: 2, lockoutDuration: 10 })
  const commits = t.capture(store, 'commit', async () => {
    throw new Error('the disk is full')
  })
  const lines = t.capture(store.log, 'error', () => {})
  await fail(2)
  t.equal(commits().length, 1)
  t.match(lines()[0]?.args, ['a lockout was not stored', { cause: 'the disk is full' }])
  t.notOk(accounts.isLocked('ann'))
  t.equal(await login('ann'), delayed(10))
  pass(10_000)
  t.equal(await login('ann'), 'ann')
})

t.test('the store says when lockouts end as the clock is set now, and forgets those that are over', async (t) => {
  const { accounts, store, fail, pass, setClock } = await open(t, { lockoutThreshold: 1, lockoutDuration: 10 })
  const stored = () => store.get('account', 'ann')?.lockedUntil
  const tend = async () => {
    accounts.tend()
    await store.commit({})
    return stored()
  }
  await fail(1)
  const until = stored() ?? 0
  setClock(1000)
  t.equal(await tend(), until, 'a second is exact enough')
  setClock(1)
  t.equal(await tend(), until + 1001, 'and no more')
  setClock(3_598_999)
  t.equal(await tend(), until + 3_600_000)
  t.ok(accounts.isLocked('ann'))
  pass(10_000)
  t.equal(await tend(), 0)
})

t.test(
  'credentials are remembered for twice as many logins as there can be accounts, then all are forgotten',
  async (t) => {
    const { accounts, store, login } = await open(t, {}, { limits: { ...configuration.limits, accounts: 1 } })
    await store.commit({ account: { eve: { ...store.get('account', 'bob')!, name: 'eve' } } })
    const recalled = () => ['ann', 'bob', 'eve'].filter((user) => accounts.recall(btoa(`${user}:${password}`), address))
    for (const [user, expected] of [
      ['ann', ['ann']],
      ['bob', ['ann', 'bob']],
      ['eve', ['eve']]
    ] as const) {
      await login(user)
      t.same(recalled(), expected)
    }
  }
)

t.test('events of failed logins are sent anew after the time in which failures are forgotten', async (t) => {
  const { fail, pass, told } = await open(
    t,
    { lockoutThreshold: 0, lockoutCounterResetAfter: 10 },
    { lockout: { ...configuration.lockout, threshold: 0 } }
  )
  const failed = async () => {
    await fail(2)
    return count(told(), 'MgmtEvents.LoginFailed')
  }
  t.equal(await failed(), 1, 'one at a time, even if no failures lock')
  pass(9999)
  t.equal(await failed(), 0)
  pass(1)
  t.equal(await failed(), 1)
})

t.test('failed logins of an account do not count for a later one of its name', async (t) => {
  const { store, login, fail } = await open(t, { lockoutThreshold: 2 })
  const account = store.get('account', 'ann')!
  await fail(1)
  await store.commit({ account: { ann: null } })
  await fail(1, 'bob')
  await store.commit({ account: { ann: account } })
  await fail(1)
  t.equal(await login('ann'), 'ann')
})

t.test('a lockout that is stored while its account is removed leaves no account behind', async (t) => {
  const { accounts, store } = await open(t, { lockoutThreshold: 1 })
  const depends: string[] = []
  const caller = { account: 'ann', user: 'ann', address }
  const reader = { caller, depends: (on: string) => depends.push(on) } as unknown as Reader
  const { credentials, isLocked } = accounts.members(reader)
  const removed = store.commit({ account: { ann: null } })
  t.match(await credentials.verifyCode('123456', 'key').catch((error: unknown) => error), { status: 400 })
  await removed
  t.same(store.keys('account'), ['bob'])
  t.same(depends, [])
  t.notOk(isLocked('ann'))
  t.same(depends, ['clock'])
})

t.test('a lock that a client lifts stays lifted when the clock was set, and later failures count', async (t) => {
  const { accounts, store, login, fail, pass, setClock } = await open(t, { lockoutThreshold: 2, lockoutDuration: 10 })
  await fail(2)
  setClock(3_600_000)
  const lifted = store.commit({ account: { ann: { lockedUntil: 0 } } })
  accounts.tend()
  await lifted
  await store.commit({})
  t.equal(await login('ann'), 'ann')
  await fail(2)
  pass(10_000)
  await fail(1)
  accounts.tend()
  await store.commit({})
  t.equal(store.get('account', 'ann')?.lockedUntil, 0)
  await fail(1)
  t.equal(await login('ann'), delayed(10))
})

t.test(
  'a lockout lasts as long as it should if the clock was set so that it ends when the one before would',
  async (t) => {
    const { store, login, fail, pass, setClock } = await open(t, { lockoutThreshold: 1, lockoutDuration: 10 })
    await fail(1)
    const stored = store.get('account', 'ann')?.lockedUntil
    await store.commit({ account: { ann: { lockedUntil: 0 } } })
    pass(5000)
    setClock(-5000)
    await fail(1)
    t.equal(store.get('account', 'ann')?.lockedUntil, stored)
    t.equal(await login('ann'), delayed(10))
  }
)

t.test('who is logged in waits with one-time codes as long as the account is locked', async (t) => {
  const { accounts, fail, pass } = await open(t, { lockoutThreshold: 2, lockoutDuration: 10 })
  const caller = { account: 'ann', user: 'ann', address }
  const { credentials } = accounts.members({ caller, depends: () => undefined } as unknown as Reader)
  const guess = () =>
    credentials.verifyCode('123456', 'pending').catch(({ status, messages: [first] }: MessageError) => {
      return [status, first?.key]
    })
  t.same(await guess(), [400, 'Base.ActionParameterValueError'])
  await fail(1)
  t.same(await guess(), [401, 'Mgmt.LoginAttemptDelayedSeconds'])
  pass(10_000)
  t.same(await guess(), [400, 'Base.ActionParameterValueError'])
})
