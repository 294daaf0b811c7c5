import type { Test } from 'tap'
import { onBothHosts } from './every-host.ts'
import { admin, basic, directory, type Headers, type Server, start } from './server.ts'

const manager = '/redfish/v1/Managers/1/'
const account = '/redfish/v1/AccountService/Accounts/admin/'
const chassis = '/redfish/v1/Chassis/1/'
const year = 365 * 86_400_000

type Login = Awaited<ReturnType<Server['login']>>

/** Seconds that the account is locked, and that a session may be idle. */
const time = 8

const configuration = {
  simulatedClock: true,
  sessionTimeout: time,
  lockout: { threshold: 2, duration: time, counterResetAfter: time }
}

/** Sets the clock of a service to so many years from now, which are many. */
async function set(t: Test, server: Server, from: number, headers: Headers): Promise<void> {
  const DateTime = new Date(Date.now() + from * year).toISOString()
  t.equal((await server.patch(manager, { DateTime }, headers)).status, 200)
  const shown = Date.parse((await server.get(manager, headers)).json.DateTime)
  t.ok(Math.abs(shown - Date.parse(DateTime)) < year, `${from} years from now`)
}

/** Locks the only administrator. */
async function lock(t: Test, server: Server): Promise<void> {
  const wrong = basic('admin', 'wrong')
  for (let failed = 0; failed < 2; failed += 1) t.equal((await server.get(chassis, wrong)).status, 401)
}

/** The only administrator is locked, for no longer than a lockout takes. */
async function isLockedForAWhile(t: Test, server: Server): Promise<void> {
  const early = await server.get(chassis)
  t.equal(early.status, 401)
  const seconds = Number(early.headers['retry-after'])
  t.ok(seconds >= 1 && seconds <= time, `Retry-After: ${seconds}`)
  await server.until(
    () => server.get(chassis),
    ({ status }) => status === 200
  )
  t.equal((await server.get(account)).json.Locked, false)
}

/** An unused session ends: another login gets its place. */
async function ends(t: Test, server: Server, { token, location }: Login): Promise<void> {
  const another = async () => {
    const { location: other } = await server.login()
    await server.delete(other)
    return server.get(location)
  }
  await server.until(another, ({ status }) => status === 404)
  t.equal((await server.get(chassis, token)).status, 401)
}

onBothHosts(async (t, host) => {
  for (const from of [-10, 10]) {
    t.test(`lockouts and sessions keep their duration when the clock is set by ${from} years`, async (t) => {
      const server = await start(t, host, { configuration })
      const login = await server.login()
      // A host may answer by itself from the second time on.
      for (let use = 0; use < 3; use += 1) t.equal((await server.get(chassis, login.token)).status, 200)
      await lock(t, server)
      await set(t, server, from, login.token)
      for (let use = 0; use < 3; use += 1) t.equal((await server.get(chassis, login.token)).status, 200)
      await isLockedForAWhile(t, server)
      await ends(t, server, login)
    })
  }

  t.test('times stored by a clock that was ten years ahead last no longer after a restart', async (t) => {
    const data = directory(t)
    const first = await start(t, host, { data, configuration })
    await set(t, first, 10, admin)
    const login = await first.login()
    await lock(t, first)
    await first.stop()
    const second = await start(t, host, { data, configuration })
    await isLockedForAWhile(t, second)
    await ends(t, second, login)
  })
})
