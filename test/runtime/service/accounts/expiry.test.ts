import t, { type Test } from 'tap'
import { as, keys, openFixture } from '#test/runtime/service.ts'

const service = '/redfish/v1/AccountService/'
const ann = `${service}Accounts/ann/`
const sessions = '/redfish/v1/SessionService/Sessions/'
const chassis = '/redfish/v1/Chassis/1/'
const password = 'Green-Door-4'
const day = 86_400

/** A service with the user ann, whose password expires after a day. */
async function ready(t: Test) {
  const fixture = await openFixture(({ password }) => Object.assign(password, { expirationDays: 1 }))
  t.teardown(() => fixture.close())
  const account = { UserName: 'ann', Password: password, RoleId: 'ReadOnly' }
  t.equal((await fixture.ask('POST', `${service}Accounts/`, account)).status, 201)
  const login = () => fixture.ask('POST', sessions, { UserName: 'ann', Password: password }, {})
  const read = async (headers: Record<string, string>) => {
    const answer = await fixture.ask('GET', chassis, undefined, headers)
    return answer.status === 200 ? 200 : [answer.status, ...keys(answer)]
  }
  return { ...fixture, login, read }
}

const due = [403, 'Base.PasswordChangeRequired']

t.test('an expired password is good for nothing but to change it, at once', async (t) => {
  const { ask, login, read, setClock } = await ready(t)
  const token = { 'x-auth-token': String((await login()).headers['x-auth-token']) }
  t.equal(await read(token), 200)
  t.equal(await read(as('ann', password)), 200)
  setClock(day)
  t.same(await read(token), due)
  t.same(await read(as('ann', password)), due)
  const again = await login()
  t.equal(again.status, 201)
  t.match(again.json['@Message.ExtendedInfo'], [{ MessageId: /PasswordChangeRequired$/ }])
  t.match((await ask('GET', ann, undefined, token)).json, { PasswordChangeRequired: true })
  t.equal((await ask('PATCH', ann, { Password: password }, token)).status, 400, 'to another one')
  t.equal((await ask('PATCH', ann, { Password: 'Green-Gate-5' }, token)).status, 200)
  t.equal(await read(token), 200)
  t.match((await ask('GET', ann)).json, { PasswordChangeRequired: false })
})

t.test('answers and callers that are kept follow the expiry, and a clock that is set back', async (t) => {
  const { ask, setClock, service: opened } = await ready(t)
  const revision = () => opened.store.revisions.of('account/ann')
  await ask('GET', ann)
  const before = revision()
  await opened.tend()
  t.equal(revision(), before)
  setClock(day)
  await opened.tend()
  const after = revision()
  t.not(after, before)
  await opened.tend()
  t.equal(revision(), after)
  setClock(-day)
  await opened.tend()
  const back = revision()
  t.not(back, after)
  await opened.tend()
  t.equal(revision(), back)
  setClock(day)
  await opened.tend()
  await ask('DELETE', ann)
  const gone = revision()
  await opened.tend()
  t.equal(revision(), gone, 'nothing moves once the account is gone')
})

t.test('the policy is set by clients within its bounds', async (t) => {
  const { ask } = await ready(t)
  t.match((await ask('GET', service)).json, { EnforcePasswordHistoryCount: 0, PasswordExpirationDays: 1 })
  for (const bad of [
    { PasswordExpirationDays: 0 },
    { PasswordExpirationDays: 1e9 },
    { EnforcePasswordHistoryCount: 11 },
    { EnforcePasswordHistoryCount: -1 },
    { EnforcePasswordHistoryCount: null }
  ])
    t.equal((await ask('PATCH', service, bad)).status, 400, JSON.stringify(bad))
  const policy = { EnforcePasswordHistoryCount: 3, PasswordExpirationDays: null }
  t.equal((await ask('PATCH', service, policy)).status, 200)
  t.match((await ask('GET', service)).json, policy)
})

t.test('a former password is refused until enough others were set', async (t) => {
  const { ask, service: opened } = await ready(t)
  await ask('PATCH', service, { EnforcePasswordHistoryCount: 3 })
  const set = async (number: number) => (await ask('PATCH', ann, { Password: `Green-Door-${number}` })).status
  t.equal(await set(4), 400, 'the present one')
  for (const number of [5, 6]) t.equal(await set(number), 200)
  for (const number of [4, 5, 6]) t.equal(await set(number), 400)
  t.equal(await set(7), 200)
  t.equal(await set(4), 200)
  t.equal(opened.store.get('account', 'ann')?.formerPasswords?.length, 2, 'no more are kept')
})

t.test('an account without the type Redfish does not log in', async (t) => {
  const { ask, login, read } = await ready(t)
  const token = { 'x-auth-token': String((await login()).headers['x-auth-token']) }
  const types = { AccountTypes: ['HostConsole'], StrictAccountTypes: true }
  t.equal((await ask('PATCH', ann, types)).status, 200)
  t.match((await ask('GET', ann)).json, types)
  t.same(await read(token), [401, 'Base.NoValidSession'])
  t.same(((await read(as('ann', password))) as unknown[])[0], 401)
  t.equal((await login()).status, 401)
  t.equal((await ask('PATCH', ann, { AccountTypes: ['Everything'] })).status, 400)
})
