import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import { HalError } from '#hal/errors.ts'
import type { User, Users } from '#hal/users.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { readBoard } from '#runtime/command/board-file.ts'
import { type Event, MessageError, type Reader } from '#runtime/contract'
import { Accounts } from '#runtime/service/accounts/credentials.ts'
import { MachineUsers } from '#runtime/service/accounts/machine-users.ts'
import { Events } from '#runtime/service/events/events.ts'
import { openDocuments } from '#runtime/store/documents.ts'
import { Store } from '#runtime/store/store.ts'

const board = readBoard('sim', openDocuments(readFileSync('dist/documents.bin')))
const address = '192.0.2.1'

/** Accounts of a machine whose user `ann` has a password that the test sets. */
async function open(t: Test) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  const listeners = new Listeners<ReadonlySet<string>>()
  const known = new Map<string, User>([['ann', { role: 'Operator', enabled: true, locked: false, expired: false }]])
  const passwords = new Map([['ann', 'Green-Door-4']])
  const done: unknown[] = []
  let failure: HalError | undefined
  let checks = 0
  const change = (name: string, user: User | undefined) => {
    if (user === undefined) known.delete(name)
    else known.set(name, user)
    listeners.emit(new Set([name]))
  }
  const perform = (...what: readonly unknown[]) => {
    if (failure !== undefined) throw failure
    done.push(what)
  }
  const machine: Users = {
    users: known,
    policy: { state: undefined, set: async () => undefined, on: () => () => undefined },
    async create(name, user, password) {
      perform('create', name, user, password)
      change(name, { ...user, locked: false, expired: false })
    },
    async change(name, what) {
      perform('change', name, Object.fromEntries(Object.entries(what).filter(([, value]) => value !== undefined)))
    },
    async remove(name) {
      perform('remove', name)
      change(name, undefined)
    },
    async verify(name, password) {
      checks += 1
      if (failure !== undefined) throw failure
      return passwords.get(name) === password ? 'ok' : 'denied'
    },
    on: (listener) => listeners.add(listener),
    close: async () => undefined
  }
  let elapsed = 1000
  const clock = { elapsed: () => elapsed, now: () => elapsed + 1_700_000_000_000 }
  const accounts = new Accounts(store, configuration, new Events(store, board, configuration, clock.now), clock, {
    open: () => undefined
  })
  const told: string[] = []
  const emit = (...events: readonly Event[]) => {
    for (const { message, origin } of events) told.push(`${message.key} ${origin}`)
  }
  const begin = () => new MachineUsers(store, { emit }, machine)
  const users = begin()
  accounts.delegate(users)
  const outcome = (promise: Promise<unknown>) =>
    promise.then(
      () => 'done',
      (error: unknown) => {
        if (!(error instanceof MessageError)) throw error
        const [first] = error.messages
        return `${error.status} ${first?.key} ${first?.args.join()}`.trim()
      }
    )
  return {
    ...{ store, accounts, users, begin, passwords, done, change, told },
    login: (password: string) => outcome(accounts.verify('ann', password, address)),
    commit: (account: Parameters<Store['commit']>[0]) => outcome(store.commit(account)),
    hash: (password: string) => accounts.hash({ account: '', address }, password),
    checks: () => checks,
    fail(error: HalError | undefined) {
      failure = error
    },
    pass(milliseconds: number) {
      elapsed += milliseconds
    }
  }
}

t.test('a password is that of the machine, and one that was right is asked for again after ten seconds', async (t) => {
  const { login, passwords, checks, pass } = await open(t)
  t.equal(await login('Green-Door-4'), 'done')
  t.equal(await login('Green-Door-5'), '401 Mgmt.UnauthorizedLoginAttempt')
  passwords.set('ann', 'Iron-Bridge-5')
  const before = checks()
  t.equal(await login('Green-Door-4'), 'done', 'nothing tells that it is another one now')
  pass(10_000)
  t.equal(await login('Green-Door-4'), 'done')
  t.equal(checks(), before)
  pass(1)
  t.equal(await login('Green-Door-4'), '401 Mgmt.UnauthorizedLoginAttempt')
  t.equal(await login('Iron-Bridge-5'), 'done')
})

t.test('a password is compared with that of a record by the machine', async (t) => {
  const { store, accounts } = await open(t)
  const reader = { caller: { account: 'ann', address }, depends: () => undefined } as unknown as Reader
  const { credentials } = accounts.members(reader)
  const { password } = store.get('account', 'ann')!
  t.ok(await credentials.matches('Green-Door-4', password))
  t.notOk(await credentials.matches('Green-Door-5', password))
})

t.test("a password that is no user's is hashed here", async (t) => {
  const { accounts, checks } = await open(t)
  const reader = { caller: { account: 'ann', address }, depends: () => undefined } as unknown as Reader
  const { credentials } = accounts.members(reader)
  const hash = await credentials.hashOther('Setup-Screen-6')
  t.match(hash, /^pbkdf2-sha256\$/)
  t.ok(await credentials.matchesOther('Setup-Screen-6', hash))
  t.notOk(await credentials.matchesOther('Green-Door-4', hash))
  t.equal(checks(), 0, 'the machine is not asked')
})

t.test('passwords that cannot be checked are 503', async (t) => {
  const { login, fail } = await open(t)
  fail(new HalError('ENODEV', 'users: no helper'))
  t.equal(await login('Green-Door-4'), '503 Base.ServiceTemporarilyUnavailable 60')
})

t.test('what is stored of an account goes to the machine, and the rest to the disk', async (t) => {
  const { store, commit, hash, done } = await open(t)
  const password = await hash('Iron-Bridge-5')
  t.notMatch(password, 'Iron')
  const bob = { name: 'bob', role: 'ReadOnly', enabled: true, password, passwordChangeRequired: false, lockedUntil: 0 }
  t.equal(await commit({ account: { bob: { ...bob, loginName: 'Robert' } } }), 'done')
  t.match(store.get('account', 'bob'), { role: 'ReadOnly', loginName: 'Robert', password: 'user$bob' })
  t.equal(await commit({ account: { ann: { role: 'Administrator', password: await hash('Oak-Table-6') } } }), 'done')
  t.equal(await commit({ account: { bob: null } }), 'done')
  t.same(done, [
    ['create', 'bob', { role: 'ReadOnly', enabled: true }, 'Iron-Bridge-5'],
    ['change', 'ann', { role: 'Administrator', password: 'Oak-Table-6' }],
    ['remove', 'bob']
  ])
  t.equal(store.get('account', 'bob'), undefined)
})

t.test('a change to a user by another program is an event, a change by a request is not', async (t) => {
  const { change, commit, hash, told } = await open(t)
  const bob = { role: 'Operator', enabled: true, locked: false, expired: false } as const
  change('bob', bob)
  change('bob', { ...bob, enabled: false })
  change('bob', { ...bob, enabled: false })
  change('bob', undefined)
  const uri = '/redfish/v1/AccountService/Accounts/bob'
  t.same(
    told,
    ['Created', 'Changed', 'Removed'].map((each) => `ResourceEvent.Resource${each} ${uri}`)
  )
  const own = { name: 'eve', role: 'ReadOnly', enabled: true, passwordChangeRequired: false, lockedUntil: 0 }
  t.equal(await commit({ account: { eve: { ...own, password: await hash('Iron-Bridge-5') } } }), 'done')
  t.equal(await commit({ account: { eve: null } }), 'done')
  t.equal(told.length, 3)
})

t.test('what the machine refuses is a message', async (t) => {
  const { commit, hash, fail, change } = await open(t)
  t.equal(
    await commit({ account: { ann: { passwordChangeRequired: true } } }),
    '400 Base.PropertyNotWritable PasswordChangeRequired'
  )
  change('ann', { role: 'Operator', enabled: true, locked: false, expired: true })
  t.equal(await commit({ account: { ann: { passwordChangeRequired: true } } }), 'done', 'it is so already')
  fail(new HalError('EINVAL', 'users: PAM refuses the password'))
  const refused = { account: { ann: { password: await hash('Iron-Bridge-5') } } }
  t.equal(await commit(refused), '400 Base.PropertyValueError Password')
  t.equal(await commit({ account: { ann: { name: 'a b' } } }), '400 Base.PropertyValueError UserName')
  fail(new HalError('ENODEV', 'users: the bus is away'))
  t.equal(await commit({ account: { ann: { enabled: false } } }), '503 Base.ServiceTemporarilyUnavailable 60')
})

t.test('a lock of the machine is shown and lifted', async (t) => {
  const { accounts, change, commit, done } = await open(t)
  change('ann', { role: 'Operator', enabled: true, locked: true, expired: false })
  t.ok(accounts.isLocked('ann'))
  accounts.tend()
  await commit({})
  change('ann', { role: 'Operator', enabled: true, locked: false, expired: false })
  t.notOk(accounts.isLocked('ann'), 'another program has lifted it')
  change('ann', { role: 'Operator', enabled: true, locked: true, expired: false })
  t.equal(await commit({ account: { ann: { lockedUntil: 0 } } }), 'done')
  t.same(done, [['change', 'ann', { locked: false }]])
})

t.test(
  'wrong passwords lock a user here, whatever the machine does, for a while or until the lock is lifted',
  async (t) => {
    const { accounts, change, commit, done, fail, login, pass } = await open(t)
    const { threshold, duration } = configuration.lockout
    const lock = async () => {
      for (let count = 0; count < threshold; count += 1) await login('Green-Door-5')
      t.ok(accounts.isLocked('ann'))
      t.match(await login('Green-Door-4'), /^401 Mgmt\.LoginAttemptDelayedSeconds/)
    }
    await lock()
    pass(duration * 1000 + 1)
    t.equal(await login('Green-Door-4'), 'done')
    await lock()
    t.same(done, [], 'the machine knows nothing of it')
    fail(new HalError('ENODEV', 'users: the bus is away'))
    t.match(await commit({ account: { ann: { lockedUntil: 0 } } }), /^503/)
    t.ok(accounts.isLocked('ann'))
    fail(undefined)
    t.equal(await commit({ account: { ann: { lockedUntil: 0 } } }), 'done')
    t.same(done, [['change', 'ann', {}]], 'nor of its end')
    t.notOk(accounts.isLocked('ann'))
    t.equal(await login('Green-Door-4'), 'done')
    await lock()
    change('ann', undefined)
    change('ann', { role: 'Operator', enabled: true, locked: false, expired: false })
    t.notOk(accounts.isLocked('ann'), 'another user of the name')
  }
)

t.test('what is stored of a user whom another program removed is removed as well', async (t) => {
  const { store, change, commit } = await open(t)
  const ann = { role: 'Operator', enabled: true, locked: false, expired: false } as const
  await commit({ account: { ann: { granted: ['SystemRecoveryConfigPriv'] } } })
  t.match(store.get('account', 'ann'), { granted: ['SystemRecoveryConfigPriv'] })
  change('ann', undefined)
  t.equal(store.get('account', 'ann'), undefined)
  await commit({})
  change('ann', ann)
  t.equal(store.get('account', 'ann')?.granted, undefined)
})

t.test('the second factor of a user whom another program removed is removed as well', async (t) => {
  const { store, change, commit } = await open(t)
  await commit({ secondFactor: { ann: { key: 'sealed' } } })
  change('ann', undefined)
  await commit({})
  t.same(store.keys('secondFactor'), [])
})

t.test('there are no users of a machine once it is closed, and those who left meanwhile leave nothing', async (t) => {
  const { store, users, begin, change, commit, told } = await open(t)
  await commit({ account: { ann: { granted: ['SystemRecoveryConfigPriv'] } } })
  users.close()
  t.notMatch(store.get('account', 'ann'), { name: 'ann' })
  change('ann', undefined)
  t.same(told, [])
  const again = begin()
  await commit({})
  again.close()
  t.equal(store.get('account', 'ann'), undefined)
})

t.test('data of a removed user that the disk keeps is logged, and a new user of the same name is seen', async (t) => {
  const { store, change, commit } = await open(t)
  await commit({ account: { ann: { granted: ['SystemRecoveryConfigPriv'] } } })
  const commits = t.capture(store, 'commit', async () => {
    throw new Error('the disk is full')
  })
  const lines = t.capture(store.log, 'error', () => {})
  change('ann', undefined)
  change('ann', { role: 'Operator', enabled: true, locked: false, expired: false })
  t.equal(store.get('account', 'ann'), undefined)
  await new Promise(setImmediate)
  t.ok(commits().length > 0)
  t.match(lines()[0]?.args, ['what was stored of removed users was not removed', { cause: 'the disk is full' }])
  t.match(store.get('account', 'ann'), { name: 'ann' })
})

t.test('a user who is back at once has nothing of the one before, and stays', async (t) => {
  const { store, change, commit, done, told } = await open(t)
  const ann = { role: 'Operator', enabled: true, locked: false, expired: false } as const
  await commit({ account: { ann: { granted: ['SystemRecoveryConfigPriv'] } } })
  const other = commit({ accountService: { settings: { lockoutDuration: 7 } } })
  change('ann', undefined)
  change('ann', ann)
  t.equal(store.get('account', 'ann'), undefined, 'until the disk has it')
  await other
  await commit({})
  t.match(store.get('account', 'ann'), { name: 'ann', role: 'Operator' })
  t.equal(store.get('account', 'ann')?.granted, undefined)
  t.same(done, [], 'the machine was asked for nothing')
  const uri = '/redfish/v1/AccountService/Accounts/ann'
  t.same(told, [`ResourceEvent.ResourceRemoved ${uri}`, `ResourceEvent.ResourceCreated ${uri}`])
})

t.test('so many passwords wait to be stored, and the oldest are forgotten', async (t) => {
  const { users, commit, done } = await open(t)
  const set = (password: string) => commit({ account: { ann: { password } } })
  const [first, second, ...rest] = Array.from({ length: 101 }, (_, at) => users.keep(`${at}`))
  t.equal(await set(first!), '503 Base.ServiceTemporarilyUnavailable 1', 'it is not taken for no password')
  t.equal(await set(second!), 'done')
  t.equal(await set(second!), '503 Base.ServiceTemporarilyUnavailable 1', 'it was used')
  t.equal(await set(rest.at(-1)!), 'done')
  t.same(done, [
    ['change', 'ann', { password: '1' }],
    ['change', 'ann', { password: '100' }]
  ])
})

t.test('a password that waits to be stored is forgotten after a minute', async (t) => {
  const { users, commit } = await open(t)
  let isHeld = true
  const unref = () => {
    isHeld = false
  }
  const timers = t.capture(globalThis, 'setTimeout', (() => ({ unref })) as unknown as typeof setTimeout)
  const password = users.keep('Iron-Bridge-5')
  const [end, time] = timers()[0]!.args as [() => void, number]
  t.same([time, isHeld], [60_000, false])
  end()
  t.match(await commit({ account: { ann: { password } } }), /^503 /)
})

t.test('a user of the machine has a role that the machine knows, or none', async (t) => {
  const { store, commit, hash, done } = await open(t)
  t.equal(await commit({ account: { ann: { role: 'Power' } } }), '400 Base.PropertyValueNotInList Power,RoleId')
  t.equal(await commit({ account: { bob: { name: 'bob', password: await hash('Iron-Bridge-5') } } }), 'done')
  t.same(done, [['create', 'bob', { role: 'None', enabled: true }, 'Iron-Bridge-5']])
  t.match(store.get('account', 'bob'), { role: '', enabled: true, lockedUntil: 0 })
})
