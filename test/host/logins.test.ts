import type { Test } from 'tap'
import { onBothHosts } from './every-host.ts'
import { onBoards } from './on-boards.ts'
import { anonymous, basic, type Server, start } from './server.ts'

const accounts = '/redfish/v1/AccountService/Accounts'
const sessions = '/redfish/v1/SessionService/Sessions'
const chassis = '/redfish/v1/Chassis/'

/** So slow a hash that a change of the account falls into the check of a password. */
const slow = { password: { iterations: 200_000 } }

const first = 'Green-Door-4'
const second = 'Green-Gate-5'

async function create(t: Test, server: Server, user: string, role = 'ReadOnly'): Promise<void> {
  const { status } = await server.post(accounts, { UserName: user, Password: first, RoleId: role })
  t.equal(status, 201)
}

/** A login and a change that overlap; what the token of the login is good for after both. */
async function overlapping(server: Server, user: string, changes: () => Promise<unknown>): Promise<number> {
  // Connections that are open already: a handshake would take longer than the check of a password.
  await Promise.all([1, 2, 3].map(() => server.get('/redfish/v1/', anonymous)))
  const later = <T>(work: () => Promise<T>) => new Promise((resolve) => setTimeout(resolve, 5)).then(work)
  const log = () => server.post(sessions, { UserName: user, Password: first }, anonymous)
  // A new password is hashed as well: its change has to begin first for the login to end after it.
  const [login] =
    user === 'ann' ? await Promise.all([later(log), changes()]) : await Promise.all([log(), later(changes)])
  if (login.status !== 201) return 401
  return (await server.get(chassis, { 'x-auth-token': String(login.headers['x-auth-token']) })).status
}

onBoards(async (t, board) => {
  t.test('the old password is refused after a change during its check', async (t) => {
    const server = await board.start(t, { configuration: slow })
    for (let n = 0; n < 3; n++) {
      await create(t, server, `ann${n}`)
      const old = basic(`ann${n}`, first)
      await Promise.all([server.get(chassis, old), server.patch(`${accounts}/ann${n}/`, { Password: second })])
      t.equal((await server.get(chassis, old)).status, 401)
      t.equal((await server.get(chassis, basic(`ann${n}`, second))).status, 200)
    }
  })

  t.test(
    'no session outlives a change of the password, a disabling or a deletion that overlaps with its login',
    async (t) => {
      const server = await board.start(t, { configuration: slow })
      const changes = {
        ann: (uri: string) => server.patch(uri, { Password: second }),
        bob: (uri: string) => server.patch(uri, { Enabled: false }),
        cal: (uri: string) => server.delete(uri)
      }
      for (const [user, change] of Object.entries(changes)) {
        await create(t, server, user)
        t.equal(await overlapping(server, user, () => change(`${accounts}/${user}/`)), 401, user)
      }
    }
  )

  t.test('a token is not valid for a new account of the same name', async (t) => {
    const server = await board.start(t)
    await create(t, server, 'ann')
    const { token } = await server.login('ann', first)
    t.equal((await server.get(chassis, token)).status, 200)
    t.equal((await server.delete(`${accounts}/ann/`)).status, 200)
    await create(t, server, 'ann', 'Administrator')
    t.equal((await server.get(chassis, token)).status, 401)
  })

  t.test('who changes the own password keeps the session that does it, and no other', async (t) => {
    const server = await board.start(t)
    await create(t, server, 'ann')
    const { token } = await server.login('ann', first)
    const other = await server.login('ann', first)
    t.equal((await server.patch(`${accounts}/ann/`, { Password: second }, token)).status, 200)
    t.equal((await server.get(chassis, token)).status, 200)
    t.equal((await server.get(chassis, other.token)).status, 401)
  })

  t.test('an unprivileged user holds at most a quarter of the sessions', async (t) => {
    const server = await board.start(t, { configuration: { limits: { sessions: 16 } } })
    const login = async (user: string) =>
      (await server.post(sessions, { UserName: user, Password: first }, anonymous)).status
    for (const user of ['ann', 'bob', 'cal', 'dan']) await create(t, server, user)
    await create(t, server, 'eve', 'Administrator')
    const granted: Record<string, number> = {}
    for (const user of ['ann', 'bob', 'cal', 'dan']) {
      for (let n = 0; n < 5; n++) if ((await login(user)) === 201) granted[user] = (granted[user] ?? 0) + 1
    }
    t.same(granted, { ann: 4, bob: 4, cal: 4, dan: 2 })
    t.same([await login('eve'), await login('eve'), await login('eve')], [201, 201, 503])
  })

  t.test('a password with NUL behind it is another one, and no control character is taken', async (t) => {
    const server = await board.start(t)
    await create(t, server, 'ann')
    t.equal((await server.get(chassis, basic('ann', first))).status, 200)
    for (const secret of [`${first}\0`, `${first}\n`, `${first}\x7f`]) {
      t.equal((await server.get(chassis, basic('ann', secret))).status, 401)
      t.not((await server.post(sessions, { UserName: 'ann', Password: secret }, anonymous)).status, 201)
    }
  })
})

// OpenBMC has no way to ask a user for another password, and its PAM takes its time for 300 wrong ones.
onBothHosts(async (t, host) => {
  t.test('unknown names do not evict accounts from the count of failures', async (t) => {
    const lockout = { threshold: 3, duration: 60, counterResetAfter: 60 }
    const server = await start(t, host, { configuration: { lockout, password: { iterations: 1 } } })
    await create(t, server, 'ann')
    for (const _ of [1, 2]) await server.get(chassis, basic('ann', 'wrong'))
    for (let name = 0; name < 300; name++) await server.get(chassis, basic(`anonymous${name}`, 'wrong'))
    await server.get(chassis, basic('ann', 'wrong'))
    t.equal((await server.get(chassis, basic('ann', first))).status, 401, 'the account is locked')
  })

  t.test('a password that has to be changed is not changed by setting it again', async (t) => {
    const server = await start(t, host)
    const bob = { UserName: 'bob', Password: first, RoleId: 'Operator', PasswordChangeRequired: true }
    t.equal((await server.post(accounts, bob)).status, 201)
    const own = basic('bob', first)
    t.equal((await server.patch(`${accounts}/bob/`, { Password: first }, own)).status, 400)
    t.equal((await server.get(chassis, own)).status, 403)
    t.equal((await server.patch(`${accounts}/bob/`, { Password: second }, own)).status, 200)
  })
})
