import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Configuration } from '#data/configuration'
import { type Answer, as, type Fixture, keys, openFixture } from '#test/runtime/service.ts'
import { codeOf, keyOf } from './authenticator.ts'

const service = '/redfish/v1/AccountService/'
const accounts = `${service}Accounts/`
const sessions = '/redfish/v1/SessionService/Sessions/'
const chassis = '/redfish/v1/Chassis/1/'
const ann = `${accounts}ann/`
const word = 'Green-Door-4'
const basic = as('ann', word)
const action = (name: string) => `${ann}Actions/ManagerAccount.${name}/`
const tokenOf = ({ headers }: Answer) => ({ 'x-auth-token': headers['x-auth-token'] ?? '' })

const ask = (of: boolean) => ({ MultiFactorAuth: { TimeBasedOneTimePassword: { Enabled: of } } })

/** A service that asks for codes, with a user without a key, and an administrator who needs none. */
async function open(t: Test, change: (configuration: Configuration) => void = () => {}): Promise<Fixture> {
  const fixture = await openFixture(change)
  t.teardown(() => fixture.close())
  await fixture.ask('PATCH', `${accounts}admin/`, { MFABypass: { BypassTypes: ['TimeBasedOneTimePassword'] } })
  t.equal((await fixture.ask('PATCH', service, ask(true))).status, 200)
  await fixture.ask('POST', accounts, { UserName: 'ann', Password: word, RoleId: 'ReadOnly' })
  return fixture
}

/** A new key of a user who proves to have it, by the code of the present time step. */
async function enrol(fixture: Fixture, headers: Record<string, string>) {
  const made = await fixture.ask('POST', action('GenerateSecretKey'), {}, headers)
  const secret: string = made.json.SecretKey
  const body = { TimeBasedOneTimePassword: codeOf(secret, fixture.now()) }
  const verified = await fixture.ask('POST', action('VerifyTimeBasedOneTimePassword'), body, headers)
  return { made, verified, secret, recoveryCodes: verified.json.Oem?.Vendor.RecoveryCodes as readonly string[] }
}

/** The same with a user whose key is in use, in the time step after its first code. */
async function withUser(t: Test, change?: (configuration: Configuration) => void) {
  const fixture = await open(t, change)
  const { secret, recoveryCodes } = await enrol(fixture, basic)
  fixture.sleep(30)
  return {
    fixture,
    secret,
    recoveryCodes,
    /** The code of the present time step, or of one before or after it. */
    code: (steps = 0) => codeOf(secret, fixture.now() + steps * 30_000),
    login: (Token?: string) =>
      fixture.ask('POST', sessions, { UserName: 'ann', Password: word, ...(Token !== undefined && { Token }) }, {})
  }
}

t.test('a user without a key can do no more than make one, which is shown once', async (t) => {
  const fixture = await open(t)
  const login = await fixture.ask('POST', sessions, { UserName: 'ann', Password: word }, {})
  t.match(login.text, /GenerateSecretKeyRequired/)
  const token = tokenOf(login)
  for (const headers of [basic, token]) {
    const refused = await fixture.ask('GET', chassis, undefined, headers)
    t.same([refused.status, keys(refused)], [403, ['Base.GenerateSecretKeyRequired']])
    t.equal((await fixture.ask('GET', ann, undefined, headers)).status, 200)
  }
  const { made, verified, secret, recoveryCodes } = await enrol(fixture, token)
  t.match(made.json.Oem.Vendor.KeyURI, /^otpauth:\/\/totp\/[^?]+:ann\?secret=[A-Z2-7]{32}&issuer=/)
  t.equal(verified.status, 200)
  t.equal(new Set(recoveryCodes).size, 10)
  t.equal((await fixture.ask('GET', chassis, undefined, token)).status, 200, 'the session goes on')
  const shown = await fixture.ask('GET', ann)
  t.match(shown.json, { SecretKeySet: true, Oem: { Vendor: { RecoveryCodesLeft: 10 } } })
  t.notMatch(shown.text, secret)
})

t.test('a login needs password and code, and says which is missing once the password was right', async (t) => {
  const { fixture, code, login } = await withUser(t)
  t.same(keys(await login()), ['Base.AuthenticationTokenRequired'])
  t.same(keys(await login('123456')), ['Mgmt.OneTimeCodeIncorrect'])
  const wrong = await fixture.ask('POST', sessions, { UserName: 'ann', Password: 'wrong', Token: code() }, {})
  t.same([wrong.status, keys(wrong)], [401, ['Mgmt.UnauthorizedLoginAttempt']])
  const right = await login(code())
  t.equal(right.status, 201)
  const session = await fixture.ask('GET', right.headers.location!, undefined, tokenOf(right))
  t.equal(session.json.Oem.Vendor.SecondFactor, 'TimeBasedOneTimePassword')
  t.equal((await fixture.ask('GET', chassis, undefined, tokenOf(right))).status, 200)
})

t.test('HTTP Basic is refused, also where the password was known before', async (t) => {
  const { fixture } = await withUser(t)
  for (let tries = 0; tries < 2; tries += 1) {
    const refused = await fixture.ask('GET', chassis, undefined, basic)
    t.same([refused.status, keys(refused)], [401, ['Base.AuthenticationTokenRequired']])
  }
  await fixture.ask('PATCH', ann, { MFABypass: { BypassTypes: ['All'] } })
  t.equal((await fixture.ask('GET', chassis, undefined, basic)).status, 200, 'but for an account that is exempt')
})

t.test('a code of one step before or after is accepted, and no other', async (t) => {
  for (const [steps, status] of [
    [-2, 401],
    [2, 401],
    [-1, 201],
    [1, 201]
  ] as const) {
    const { fixture, code, login } = await withUser(t)
    fixture.sleep(60)
    t.equal((await login(code(steps))).status, status, `${steps} steps`)
  }
})

t.test('a code is used once, by whoever comes first, also after a restart', async (t) => {
  const { fixture, code, login } = await withUser(t)
  const [before, used] = [code(-1), code()]
  const both = await Promise.all([login(used), login(used)])
  t.same(both.map(({ status }) => status).sort(), [201, 401], 'of two at the same time one')
  t.equal((await login(before)).status, 401, 'nor is an earlier one')
  await fixture.restart()
  t.same(keys(await login(used)), ['Mgmt.OneTimeCodeIncorrect'])
  fixture.sleep(30)
  t.equal((await login(code())).status, 201)
})

t.test('a code that was used stays used when the clock is set back', async (t) => {
  const { fixture, code, login, recoveryCodes } = await withUser(t)
  const used = code()
  t.equal((await login(used)).status, 201)
  fixture.setClock(-300)
  t.equal((await login(used)).status, 401)
  t.equal((await login(code())).status, 401, 'as are those before it')
  t.equal((await login(recoveryCodes[0])).status, 201, 'a recovery code still helps')
})

t.test('a recovery code works once, in any spelling, and its use is logged', async (t) => {
  const { fixture, login, recoveryCodes } = await withUser(t)
  const typed = recoveryCodes[0]!.replaceAll('-', ' ').toUpperCase()
  const session = await login(typed)
  t.equal(session.status, 201)
  t.equal((await login(recoveryCodes[0])).status, 401)
  t.equal((await login(recoveryCodes[1])).status, 201)
  t.equal((await fixture.ask('GET', ann)).json.Oem.Vendor.RecoveryCodesLeft, 8)
  const log = await fixture.ask('GET', '/redfish/v1/Managers/1/LogServices/EventLog/Entries/')
  t.match(log.text, /logged in with a recovery code. 9 are left/)
})

t.test('guesses find no code: each wrong one counts for lockout, and then all are refused', async (t) => {
  const { fixture, code, login } = await withUser(t)
  for (let guess = 0; guess < 5; guess += 1) t.equal((await login(`${guess}`.padStart(6, '0'))).status, 401)
  let refused = 0
  for (let guess = 0; guess < 100; guess += 1) {
    const answer = await login(String(guess).padStart(6, '0'))
    if (keys(answer).join() === 'Mgmt.LoginAttemptDelayedSeconds') refused += 1
  }
  t.equal(refused, 100)
  t.same(keys(await login(code())), ['Mgmt.LoginAttemptDelayedSeconds'], 'the right one waits as well')
  fixture.sleep(61)
  t.equal((await login(code())).status, 201)
})

t.test('a right password without its code forgets no failed login', async (t) => {
  const { fixture, code, login } = await withUser(t)
  await fixture.restart()
  const wrong = () => fixture.ask('POST', sessions, { UserName: 'ann', Password: 'wrong' }, {})
  for (let tries = 0; tries < 3; tries += 1) t.equal((await wrong()).status, 401)
  t.same(keys(await login()), ['Base.AuthenticationTokenRequired'])
  t.equal((await wrong()).status, 401)
  t.same(keys(await login(code())), ['Mgmt.LoginAttemptDelayedSeconds'])
})

t.test('a login with a valid code resets the count of failures', async (t) => {
  const { fixture, code, login } = await withUser(t)
  const wrong = () => fixture.ask('POST', sessions, { UserName: 'ann', Password: 'wrong' }, {})
  for (let round = 0; round < 2; round += 1) {
    for (let tries = 0; tries < 3; tries += 1) t.equal((await wrong()).status, 401)
    t.equal((await login(code())).status, 201)
    fixture.sleep(30)
  }
})

t.test('without a lockout, wrong codes wait for longer and longer, and recovery codes do not', async (t) => {
  const { fixture, code, login, recoveryCodes } = await withUser(t, ({ lockout }) =>
    Object.assign(lockout, { threshold: 0 })
  )
  for (let guess = 0; guess < 5; guess += 1) t.same(keys(await login('000000')), ['Mgmt.OneTimeCodeIncorrect'])
  for (const wait of [1, 2, 4, 8]) {
    const early = await login(code())
    t.same([keys(early), early.headers['retry-after']], [['Mgmt.LoginAttemptDelayedSeconds'], String(wait)])
    fixture.sleep(wait)
    t.same(keys(await login('000000')), ['Mgmt.OneTimeCodeIncorrect'])
  }
  t.equal((await login(recoveryCodes[0])).status, 201)
  t.equal((await login(code())).headers['retry-after'], '16', 'nor do they shorten the wait of others')
  fixture.sleep(16)
  t.equal((await login(code())).status, 201)
  for (let guess = 0; guess < 5; guess += 1)
    t.same(keys(await login('000000')), ['Mgmt.OneTimeCodeIncorrect'], 'the count begins anew')
})

t.test('the wait after wrong codes has a limit, and ends with the key', async (t) => {
  const { fixture, code, login } = await withUser(t, ({ lockout, secondFactor }) => {
    Object.assign(lockout, { threshold: 0 })
    Object.assign(secondFactor, { longestWait: 2 })
  })
  for (let guess = 0; guess < 5; guess += 1) t.same(keys(await login('000000')), ['Mgmt.OneTimeCodeIncorrect'])
  for (const wait of [1, 2, 2]) {
    t.equal((await login(code())).headers['retry-after'], String(wait))
    fixture.sleep(wait)
    t.same(keys(await login('000000')), ['Mgmt.OneTimeCodeIncorrect'])
  }
  t.equal((await fixture.ask('POST', action('ClearSecretKey'), {})).status, 200)
  t.equal((await enrol(fixture, basic)).verified.status, 200)
})

t.test('guesses at a new key count as those at a login do', async (t) => {
  const fixture = await open(t)
  await fixture.ask('POST', action('GenerateSecretKey'), {}, basic)
  const guess = () =>
    fixture.ask('POST', action('VerifyTimeBasedOneTimePassword'), { TimeBasedOneTimePassword: 'no' }, basic)
  for (let tries = 0; tries < 5; tries += 1) {
    const answer = await guess()
    t.same([answer.status, keys(answer)], [400, ['Base.ActionParameterValueError']])
  }
  t.same(keys(await guess()), ['Mgmt.LoginAttemptDelayedSeconds'])
})

t.test('who only has the password gets no further by a new key, or without a code', async (t) => {
  const { fixture, code, login } = await withUser(t)
  t.equal((await fixture.ask('POST', action('GenerateSecretKey'), {}, basic)).status, 401)
  const session = tokenOf(await login(code()))
  const { SecretKey: pending } = (await fixture.ask('POST', action('GenerateSecretKey'), {}, session)).json
  fixture.sleep(30)
  t.equal((await login(codeOf(pending, fixture.now()))).status, 401)
  t.equal((await login(code())).status, 201, 'the key stays until another one was proved')
})

t.test('sessions without the second factor end when it is needed', async (t) => {
  const fixture = await open(t)
  await enrol(fixture, basic)
  await fixture.ask('PATCH', service, ask(false))
  const login = await fixture.ask('POST', sessions, { UserName: 'ann', Password: word }, {})
  t.equal((await fixture.ask('GET', chassis, undefined, tokenOf(login))).status, 200)
  await fixture.ask('PATCH', service, ask(true))
  t.equal((await fixture.ask('GET', chassis, undefined, tokenOf(login))).status, 401)
})

t.test('roles say whose users need a second factor', async (t) => {
  const fixture = await open(t)
  const roles = (...SecondFactorRoles: string[]) =>
    fixture.ask('PATCH', service, { Oem: { Vendor: { SecondFactorRoles } } })
  t.equal((await fixture.ask('GET', chassis, undefined, basic)).status, 403)
  t.equal((await roles('Administrator')).status, 200)
  t.equal((await fixture.ask('GET', chassis, undefined, basic)).status, 200)
  t.equal((await fixture.ask('PATCH', ann, { RoleId: 'Administrator' })).status, 200)
  t.equal((await fixture.ask('GET', chassis, undefined, basic)).status, 403)
  t.equal((await roles('Administrator', 'Emperor')).status, 400)
})

t.test('a cleared key and the key of a deleted account are no longer valid', async (t) => {
  const { fixture, code, login } = await withUser(t)
  t.equal((await fixture.ask('POST', action('ClearSecretKey'), {})).status, 200)
  t.match((await fixture.ask('GET', ann)).json, { SecretKeySet: false, Oem: { Vendor: { RecoveryCodesLeft: 0 } } })
  t.match((await login()).text, /GenerateSecretKeyRequired/)
  await enrol(fixture, basic)
  await fixture.ask('DELETE', ann)
  await fixture.ask('POST', accounts, { UserName: 'ann', Password: word, RoleId: 'ReadOnly' })
  t.match((await login(code())).text, /GenerateSecretKeyRequired/)
})

t.test('a key for another user is 403, and the store has no secret in plain text', async (t) => {
  const { fixture, secret, recoveryCodes } = await withUser(t)
  for (const [name, body] of [
    ['GenerateSecretKey', {}],
    ['VerifyTimeBasedOneTimePassword', { TimeBasedOneTimePassword: '1' }]
  ] as const) {
    t.equal((await fixture.ask('POST', action(name), body)).status, 403, name)
  }
  const files = readdirSync(fixture.directory, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  const stored = Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name)))).toString(
    'latin1'
  )
  t.match(stored, /recoveryCodes/)
  for (const secretText of [secret, keyOf(secret).toString('hex'), ...recoveryCodes])
    t.notOk(stored.includes(secretText))
})
