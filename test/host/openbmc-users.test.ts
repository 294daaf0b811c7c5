import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { openbmcBoard, policy } from '#test/openbmc/board.ts'
import { missingPam, pamSocket, pamWith } from '#test/openbmc/pam.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'
import { needing, onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { messagesOf } from './messages-of.ts'
import { basic, directory, type Json, start } from './server.ts'

const accounts = '/redfish/v1/AccountService/Accounts/'
const sessions = '/redfish/v1/SessionService/Sessions/'
const system = '/redfish/v1/Systems/1/'
const root = basic('root', 'Tin-Whistle-7')
const ann = { UserName: 'ann', Password: 'Long-Street-8', RoleId: 'Operator' }
const users = '/xyz/openbmc_project/user'

async function started(t: Test, host: Host) {
  const bus = await TestBus.start(t, 'dbus-daemon', policy())
  const daemons = await OpenbmcSimulator.start(t, bus)
  const names = ['root:Tin-Whistle-7:valid', 'observer:Oak-Table-6:valid', 'ann:none:valid', 'ben:none:valid']
  const pam = pamWith(t, names)
  const passwords = await pamSocket(t, pam.command)
  const board = openbmcBoard(bus.socket)
  const [manager] = [board.managers[1]]
  const shared = { type: 'openbmc', socket: bus.socket, passwords }
  const file = join(directory(t), 'board.json')
  writeFileSync(file, JSON.stringify({ ...board, managers: { ...board.managers, 1: { ...manager, users: shared } } }))
  const server = await start(t, host, { args: ['--board', file] })
  const is = (path: string, expected: (answer: { status: number; json: Json }) => boolean, headers = root) =>
    server.until(() => server.get(path, headers), expected)
  await is(system, ({ status }) => status === 200)
  return { daemons, pam, server, is }
}

const missing = missingPam()

onBothHosts(async (t, host) => {
  if (missing !== undefined) return needing('accounts of the machine', missing, async () => {})
  await t.test('a user logs in with the password of the machine, and has the role that it says', async (t) => {
    const { daemons, pam, server, is } = await started(t, host)
    t.match((await server.get(`${accounts}root/`, root)).json, {
      UserName: 'root',
      RoleId: 'Administrator',
      Enabled: true,
      Locked: false
    })
    t.equal((await server.get(system, basic('root', 'tin'))).status, 401)
    t.equal((await server.get(system, basic('admin', 'tin'))).status, 401, 'there is no other administrator')
    const observer = basic('observer', 'Oak-Table-6')
    t.equal((await server.get(system, observer)).status, 200)
    t.equal((await server.patch(system, { AssetTag: 'R7' }, observer)).status, 403)
    await daemons.set(`${users}/observer`, 'User.Attributes', 'UserPrivilege', 'priv-admin')
    await is(`${accounts}observer/`, ({ json }) => json.RoleId === 'Administrator')
    t.equal((await server.patch(system, { AssetTag: 'R7' }, observer)).status, 200)
    await daemons.set(`${users}/observer`, 'User.Attributes', 'UserEnabled', false)
    await is(system, ({ status }) => status === 401, observer)
    t.same(pam.users()[0], 'root:Tin-Whistle-7:valid')
  })

  await t.test('a client makes, changes and removes users of the machine', async (t) => {
    const { daemons, server, is } = await started(t, host)
    t.equal((await server.post(accounts, ann, root)).status, 201)
    t.equal(await daemons.get(`${users}/ann`, 'User.Attributes', 'UserPrivilege'), 'priv-operator')
    const login = async (password: string) => server.post(sessions, { UserName: 'ann', Password: password }, {})
    const session = await login('Long-Street-8')
    t.equal(session.status, 201)
    const token = { 'x-auth-token': String(session.headers['x-auth-token']) }
    t.equal((await server.get(system, token)).status, 200)
    const changed = await server.patch(`${accounts}ann/`, { Password: 'Other-Street-8', RoleId: 'ReadOnly' }, root)
    t.equal(changed.status, 200, changed.text)
    t.equal((await server.get(system, token)).status, 401, 'another password ends the sessions')
    t.equal((await login('Long-Street-8')).status, 401)
    t.equal((await login('Other-Street-8')).status, 201)
    t.equal(await daemons.get(`${users}/ann`, 'User.Attributes', 'UserPrivilege'), 'priv-user')

    await daemons.set(`${users}/ann`, 'User.Attributes', 'UserLockedForFailedAttempt', true)
    await is(`${accounts}ann/`, ({ json }) => json.Locked === true)
    t.equal((await server.patch(`${accounts}ann/`, { Locked: false }, root)).status, 200)
    t.notOk(await daemons.get(`${users}/ann`, 'User.Attributes', 'UserLockedForFailedAttempt'))

    t.equal((await server.delete(`${accounts}ann/`, root)).status, 200)
    t.equal((await server.get(`${accounts}ann/`, root)).status, 404)
    t.equal((await login('Other-Street-8')).status, 401)
  })

  await t.test('the policy of accounts is that of the machine', async (t) => {
    const { daemons, server, is } = await started(t, host)
    const service = '/redfish/v1/AccountService/'
    const policy = { AccountLockoutThreshold: 5, AccountLockoutDuration: 300, MinPasswordLength: 8 }
    t.match((await server.get(service, root)).json, policy)
    t.equal((await server.patch(service, { MinPasswordLength: 14 }, root)).status, 200)
    t.equal(await daemons.get(users, 'User.AccountPolicy', 'MinPasswordLength'), 14)
    const short = await server.post(accounts, ann, root)
    t.same([short.status, messagesOf(short)], [400, ['Mgmt.PasswordTooWeak(a length of at least 14 characters)']])
    await daemons.set(users, 'User.AccountPolicy', 'MaxLoginAttemptBeforeLockout', 2)
    await is(service, ({ json }) => json.AccountLockoutThreshold === 2)
  })

  await t.test('what this service knows of a user goes with the user', async (t) => {
    const { daemons, server, is } = await started(t, host)
    t.equal((await server.post(accounts, ann, root)).status, 201)
    const granted = { Oem: { Vendor: { Privileges: { SystemRecoveryConfigPriv: true } } } }
    t.equal((await server.patch(`${accounts}ann/`, granted, root)).status, 200)
    t.match((await server.get(`${accounts}ann/`, root)).json, granted)
    await daemons.remove(`${users}/ann`, 'User.Attributes', 'Object.Delete')
    await is(`${accounts}ann/`, ({ status }) => status === 404)
    await daemons.add('User.Manager', `${users}/ann`, {
      'User.Attributes': { UserPrivilege: 'priv-user', UserGroups: ['redfish'], UserEnabled: true }
    })
    await is(`${accounts}ann/`, ({ status }) => status === 200)
    t.match((await server.get(`${accounts}ann/`, root)).json, {
      Oem: { Vendor: { Privileges: { SystemRecoveryConfigPriv: false } } }
    })
  })

  await t.test('without the user manager those who are known log in, and nothing is changed', async (t) => {
    const { daemons, server } = await started(t, host)
    await daemons.kill('User.Manager')
    t.equal((await server.get(system, root)).status, 200)
    const refused = await server.post(accounts, ann, root)
    // If the bus still delivers the call, it reports NoReply, and the client may retry after 15 s instead of 60 s.
    t.equal(refused.status, 503)
    t.match(messagesOf(refused)[0], /^Base\.ServiceTemporarilyUnavailable\((15|60)\)$/)
    t.equal((await server.get(`${accounts}ann/`, root)).status, 404)
  })
})
