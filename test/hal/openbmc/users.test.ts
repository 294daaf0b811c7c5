// own process: it starts message buses and services on them, and compiles a program

import t, { type Test } from 'tap'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import type { Users } from '#hal/users.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { needing } from '#test/host/every-host.ts'
import { missingPam, pamSocket, pamWith } from '#test/openbmc/pam.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(900_000)

const devices = openbmcDevices()
const root = '/xyz/openbmc_project/user'
const ann = { role: 'Operator', enabled: true } as const

async function opened(t: Test) {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus)
  const pam = pamWith(t, ['root:Tin-Whistle-7:valid', 'ann:none:valid', 'ben:none:valid'])
  const passwords = await pamSocket(t, pam.command)
  const users = devices.users({ name: 'users', socket: bus.socket, passwords, warn: () => undefined })
  t.teardown(() => users.close())
  await is(users, () => users.users !== undefined)
  return { daemons, users, pam }
}

function is(users: Users, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!condition()) return
      stop()
      resolve()
    }
    const stop = users.on(look)
    look()
  })
}

/** Resolves when the device has heard that the daemon is gone: until then a call fails otherwise, or arrives. */
async function gone(users: Users): Promise<void> {
  for (;;) {
    const failure = await users.policy.set({ lockoutThreshold: 1 }).catch((error) => error.code)
    if (failure === 'ENODEV') return
  }
}

needing('users are those of the user manager', missingPam(), async (t) => {
  await t.test('they are known with their roles, and what other programs change is heard', async (t) => {
    const { daemons, users } = await opened(t)
    t.same(Object.fromEntries(users.users ?? []), {
      root: { role: 'Administrator', enabled: true, locked: false, expired: false },
      observer: { role: 'ReadOnly', enabled: true, locked: false, expired: false }
    })
    const set = (property: string, value: string | boolean | string[]) =>
      daemons.set(`${root}/observer`, 'User.Attributes', property, value)
    const observer = () => users.users?.get('observer')
    await set('UserPrivilege', 'priv-operator')
    await is(users, () => observer()?.role === 'Operator')
    await set('UserGroups', ['ssh'])
    await is(users, () => observer()?.enabled === false)
    await set('UserLockedForFailedAttempt', true)
    await is(users, () => observer()?.locked === true)
    await set('UserPasswordExpired', true)
    await is(users, () => observer()?.expired === true)
    await set('UserPrivilege', '')
    await is(users, () => observer()?.role === 'None')
    const gone = new Promise<ReadonlySet<string>>((resolve) => users.on(resolve))
    await daemons.remove(`${root}/observer`, 'User.Attributes', 'Object.Delete')
    t.same(await gone, new Set(['observer']))
    t.same([...(users.users?.keys() ?? [])], ['root'])
  })

  await t.test('one is made, changed, renamed and removed', async (t) => {
    const { daemons, users } = await opened(t)
    await users.create('ann', ann, 'Long-Street-8')
    t.same(users.users?.get('ann'), { ...ann, locked: false, expired: false })
    t.same(await daemons.get(`${root}/ann`, 'User.Attributes', 'UserGroups'), ['redfish'])
    t.equal(await users.verify('ann', 'Long-Street-8', ''), 'ok')
    t.equal(await users.verify('ann', 'none', ''), 'denied')
    await daemons.set(`${root}/ann`, 'User.Attributes', 'UserLockedForFailedAttempt', true)
    await is(users, () => users.users?.get('ann')?.locked === true)
    await users.change('ann', { role: 'ReadOnly', enabled: false, locked: false, password: 'Other-Street-8' })
    t.same(users.users?.get('ann'), { role: 'ReadOnly', enabled: false, locked: false, expired: false })
    t.equal(await users.verify('ann', 'Other-Street-8', ''), 'ok')
    await users.change('ann', { name: 'ben' })
    t.same([...(users.users?.keys() ?? [])].sort(), ['ben', 'observer', 'root'])
    await users.remove('ben')
    t.same([...(users.users?.keys() ?? [])].sort(), ['observer', 'root'])
  })

  await t.test('the policy is that of the machine', async (t) => {
    const { daemons, users } = await opened(t)
    t.same(users.policy.state, { shortestPassword: 8, lockoutThreshold: 5, lockoutDuration: 300 })
    await users.policy.set({ lockoutThreshold: 3, shortestPassword: 12 })
    t.equal(await daemons.get(root, 'User.AccountPolicy', 'MaxLoginAttemptBeforeLockout'), 3)
    t.same(users.policy.state, { shortestPassword: 12, lockoutThreshold: 3, lockoutDuration: 300 })
    await t.rejects(users.policy.set({ shortestPassword: 4 }), { code: 'EINVAL' })
    const heard = new Promise<void>((resolve) => users.policy.on(resolve))
    await daemons.set(root, 'User.AccountPolicy', 'AccountUnlockTimeout', 60)
    await heard
    t.match(users.policy.state, { lockoutDuration: 60 })
    await daemons.kill('User.Manager')
    await gone(users)
    t.match(users.policy.state, { lockoutDuration: 60 }, 'it stays known')
  })

  await t.test('what is refused is a failure, and leaves no user behind', async (t) => {
    const { daemons, users } = await opened(t)
    await t.rejects(users.create('ann', ann, 'short'), { code: 'EINVAL', message: 'users: PAM refuses the password' })
    t.notOk(users.users?.has('ann'))
    await t.rejects(users.create('root', ann, 'Long-Street-8'), { message: /UserNameExists/ })
    await t.rejects(users.create('a b', ann, 'Long-Street-8'), { code: 'EINVAL' })
    await t.rejects(users.change('eve', { role: 'Operator' }), {
      code: 'ENODEV',
      message: 'users: the bus has no user eve'
    })
    await t.rejects(users.remove('eve'), { code: 'ENODEV' })
    await daemons.kill('User.Manager')
    await gone(users)
    await t.rejects(users.create('ann', ann, 'Long-Street-8'), { code: 'ENODEV' })
    t.ok(users.users?.has('root'), 'those that were known stay known')
    t.equal(await users.verify('root', 'Tin-Whistle-7', ''), 'ok', 'PAM needs no bus')
    await daemons.start('User.Manager')
    await daemons.add('User.Manager', `${root}/ben`, { 'User.Attributes': {} })
    await is(users, () => users.users?.has('ben') === true)
  })
})
