// needs: oathtool
import { execFileSync } from 'node:child_process'
import type { Test } from 'tap'
import { onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { messagesOf } from './messages-of.ts'
import { admin, anonymous, basic, directory, type Headers, type Server, start } from './server.ts'

const service = '/redfish/v1/AccountService/'
const accounts = `${service}Accounts/`
const ann = `${accounts}ann/`
const sessions = '/redfish/v1/SessionService/Sessions/'
const manager = '/redfish/v1/Managers/1/'
const chassis = '/redfish/v1/Chassis/1/'
const word = 'Green-Door-4'
const configuration = { simulatedClock: true, secondFactor: { enabled: true }, lockout: { threshold: 6 } }

const action = (name: string) => `${ann}Actions/ManagerAccount.${name}/`
const create = (server: Server) => server.post(accounts, { UserName: 'ann', Password: word, RoleId: 'Operator' })
const login = (server: Server, Token: string) =>
  server.post(sessions, { UserName: 'ann', Password: word, Token }, anonymous)

/** The code that an authenticator shows whose clock is so many seconds ahead. */
function codeOf(key: string, ahead = 0): string {
  const now = Math.floor(Date.now() / 1000) + ahead
  return execFileSync('oathtool', ['--totp', '--base32', key, '--now', `@${now}`], { encoding: 'utf8' }).trim()
}

/** Has the clock of the service be so many seconds ahead. */
async function setClock(t: Test, server: Server, ahead: number): Promise<void> {
  const DateTime = new Date(Date.now() + ahead * 1000).toISOString()
  t.equal((await server.patch(manager, { DateTime })).status, 200)
}

/** A key in use, with the recovery codes of its user. */
async function enrol(t: Test, server: Server, headers: Headers = basic('ann', word)) {
  const { SecretKey: key } = (await server.post(action('GenerateSecretKey'), {}, headers)).json
  const body = { TimeBasedOneTimePassword: codeOf(key) }
  const verified = await server.post(action('VerifyTimeBasedOneTimePassword'), body, headers)
  t.equal(verified.status, 200)
  return { key: key as string, recoveryCodes: verified.json.Oem.Vendor.RecoveryCodes as string[] }
}

/** A service on which everybody but its administrator needs codes. */
async function begin(t: Test, host: Host, data: string): Promise<Server> {
  const server = await start(t, host, { data, configuration })
  await server.patch(`${accounts}admin/`, { MFABypass: { BypassTypes: ['All'] } }, admin)
  return server
}

onBothHosts(async (t, host) => {
  t.test(
    'codes of an authenticator log in, each once, also after a restart and when the clock was set back',
    async (t) => {
      const data = directory(t)
      const server = await begin(t, host, data)
      await create(server)
      t.same(messagesOf(await server.get(chassis, basic('ann', word))), [
        'Base.GenerateSecretKeyRequired(/redfish/v1/AccountService/Accounts/ann/)'
      ])
      const { key, recoveryCodes } = await enrol(t, server)
      const code = codeOf(key, 30)
      const session = await login(server, code)
      t.equal(session.status, 201)
      t.equal((await server.get(chassis, { 'x-auth-token': String(session.headers['x-auth-token']) })).status, 200)
      t.equal((await login(server, code)).status, 401, 'the same again')
      t.equal(await server.stop(), 0)
      const next = await begin(t, host, data)
      t.same(messagesOf(await login(next, code)), ['Mgmt.OneTimeCodeIncorrect()'], 'after a restart')
      await setClock(t, next, -600)
      t.equal((await login(next, codeOf(key, -600))).status, 401, 'an earlier one, by a clock that was set back')
      t.equal((await login(next, recoveryCodes[0] ?? '')).status, 201)
      t.equal((await login(next, recoveryCodes[0] ?? '')).status, 401)
      await setClock(t, next, 600)
      t.equal((await login(next, codeOf(key, 600))).status, 201)
      for (const each of [key, ...recoveryCodes]) t.notOk(next.process.stderr.join().includes(each))
    }
  )

  t.test('a password without its code counts for lockout, by HTTP Basic as well', async (t) => {
    const server = await begin(t, host, directory(t))
    await create(server)
    const { key } = await enrol(t, server)
    for (let tries = 0; tries < 3; tries += 1) {
      const refused = await server.get(chassis, basic('ann', word))
      t.same([refused.status, messagesOf(refused)], [401, ['Base.AuthenticationTokenRequired()']])
    }
    for (let guess = 0; guess < 3; guess += 1) t.equal((await login(server, `00000${guess}`)).status, 401)
    const locked = await login(server, codeOf(key, 30))
    t.match(messagesOf(locked), [/^Mgmt.LoginAttemptDelayedSeconds/])
    t.equal((await server.get(ann)).json.Locked, true)
    t.equal((await server.patch(ann, { Locked: false })).status, 200)
    t.equal((await login(server, codeOf(key, 30))).status, 201)
  })

  t.test('an account whose key was cleared, or that was deleted and made again, has none', async (t) => {
    const server = await begin(t, host, directory(t))
    await create(server)
    await enrol(t, server)
    t.equal((await server.post(action('ClearSecretKey'), {})).status, 200)
    t.equal((await server.get(ann)).json.SecretKeySet, false)
    const { recoveryCodes } = await enrol(t, server)
    t.equal((await server.delete(ann)).status, 200)
    await create(server)
    t.match((await server.get(ann)).json, { SecretKeySet: false, Oem: { Vendor: { RecoveryCodesLeft: 0 } } })
    const again = await login(server, recoveryCodes[0] ?? '')
    t.match(again.text, /GenerateSecretKeyRequired/)
    await enrol(t, server)
    t.equal((await login(server, recoveryCodes[0] ?? '')).status, 401)
  })
})
