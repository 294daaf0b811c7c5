import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import { as, type Fixture, keys, openFixture } from '#test/runtime/service.ts'

const accounts = '/redfish/v1/AccountService/Accounts/'
const roles = '/redfish/v1/AccountService/Roles/'
const sessions = '/redfish/v1/SessionService/Sessions/'
const chassis = '/redfish/v1/Chassis/1/'
const reset = '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/'
const password = 'Green-Door-4'

/** A service with the custom role Power and its user ann, who has a session. */
async function ready(t: Test, change?: Parameters<typeof openFixture>[0]) {
  const service = await openFixture(change)
  t.teardown(() => service.close())
  const power = { RoleId: 'Power', AssignedPrivileges: ['Login'], OemPrivileges: ['VirtualPowerAndResetPriv'] }
  t.equal((await service.ask('POST', roles, power)).status, 201)
  return { service, token: await userOf(t, service, 'ann', 'Power') }
}

async function userOf(t: Test, { ask }: Fixture, UserName: string, RoleId: string) {
  t.equal((await ask('POST', accounts, { UserName, Password: password, RoleId })).status, 201)
  const login = await ask('POST', sessions, { UserName, Password: password }, {})
  t.equal(login.status, 201)
  return { 'x-auth-token': String(login.headers['x-auth-token']) }
}

const nmi = (service: Fixture, headers: Record<string, string>) =>
  service.ask('POST', reset, { ResetType: 'Nmi' }, headers)

t.test('a custom role allows what it says, and nothing else', async (t) => {
  const { service, token } = await ready(t)
  for (const who of [token, as('ann', password)]) {
    t.equal((await nmi(service, who)).status, 200)
    t.equal((await service.ask('GET', chassis, undefined, who)).status, 200)
    t.equal((await service.ask('PATCH', chassis, { LocationIndicatorActive: true }, who)).status, 403)
    t.equal((await service.ask('POST', roles, { RoleId: 'Mine' }, who)).status, 403)
    const own = await service.ask('PATCH', `${accounts}ann/`, { Password: 'Green-Gate-5' }, who)
    t.equal(own.status, 403, 'it does not have ConfigureSelf')
  }
})

t.test('a change of a role counts at once, for sessions, for HTTP Basic and for what is cached', async (t) => {
  const { service, token } = await ready(t)
  const shown = async (headers: Record<string, string>) =>
    (await service.ask('GET', `${accounts}ann/`, undefined, headers)).json.Oem.Vendor.Privileges
  for (const who of [token, as('ann', password)]) {
    t.match(await shown(who), { VirtualPowerAndResetPriv: true, MgmtConfigPriv: false })
    t.match(await shown(who), { VirtualPowerAndResetPriv: true, MgmtConfigPriv: false })
    await service.ask('PATCH', `${roles}Power/`, { OemPrivileges: ['MgmtConfigPriv'] })
    t.match(await shown(who), { VirtualPowerAndResetPriv: false, MgmtConfigPriv: true })
    t.equal((await nmi(service, who)).status, 403)
    t.equal((await service.ask('PATCH', chassis, { LocationIndicatorActive: true }, who)).status, 200)
    await service.ask('PATCH', `${roles}Power/`, { OemPrivileges: ['VirtualPowerAndResetPriv'] })
  }
  await service.ask('PATCH', `${roles}Power/`, { AssignedPrivileges: [] })
  t.equal((await service.ask('GET', chassis, undefined, token)).status, 401, 'its users log in no more')
  t.equal((await service.ask('GET', chassis, undefined, as('ann', password))).status, 401)
})

t.test('a role is not deleted while its users are logged in, and then allows nothing', async (t) => {
  const { service, token } = await ready(t)
  const remove = () => service.ask('DELETE', `${roles}Power/`)
  const refused = await remove()
  t.same([refused.status, keys(refused)], [409, ['Base.ResourceInUse']])
  t.equal((await nmi(service, token)).status, 200)
  // As a damaged store would leave it.
  await service.service.store.commit({ role: { Power: null } })
  t.equal((await service.ask('GET', chassis, undefined, token)).status, 401)
  t.equal((await service.ask('POST', sessions, { UserName: 'ann', Password: password }, {})).status, 401)
})

t.test('an account gets no role that is deleted at the same time', async (t) => {
  let hashing = configuration.password
  const { service } = await ready(t, ({ password }) => {
    hashing = password
  })
  await service.ask('PATCH', `${accounts}ann/`, { RoleId: 'ReadOnly' })
  // The role is deleted while the password of the new account is hashed.
  Object.assign(hashing, { iterations: 300_000 })
  const [made, removed] = await Promise.all([
    service.ask('POST', accounts, { UserName: 'bob', Password: password, RoleId: 'Power' }),
    service.ask('DELETE', `${roles}Power/`)
  ])
  t.same([made.status, removed.status], [400, 200])
})

t.test('a user manager grants no more by any way than what a custom role allows the manager', async (t) => {
  const { service } = await ready(t)
  const users = { RoleId: 'Users', AssignedPrivileges: ['Login', 'ConfigureUsers', 'ConfigureSelf'] }
  t.equal((await service.ask('POST', roles, users)).status, 201)
  const mia = await userOf(t, service, 'mia', 'Users')
  const privilege = { Oem: { Vendor: { Privileges: { MgmtConfigPriv: true } } } }
  for (const [method, target, body] of [
    ['POST', roles, { RoleId: 'Mine', AssignedPrivileges: ['ConfigureManager'] }],
    ['PATCH', `${roles}Users/`, { OemPrivileges: ['MgmtConfigPriv'] }],
    ['PATCH', `${roles}Power/`, { OemPrivileges: [] }],
    ['DELETE', `${roles}Power/`, undefined],
    ['POST', accounts, { UserName: 'eve', Password: password, RoleId: 'Administrator' }],
    ['PATCH', `${accounts}mia/`, { RoleId: 'Administrator' }],
    ['PATCH', `${accounts}mia/`, privilege],
    ['PATCH', `${accounts}admin/`, { Password: password }],
    ['PATCH', `${accounts}ann/`, { Password: 'Green-Gate-5' }],
    ['DELETE', `${accounts}ann/`, undefined]
  ] as const) {
    const answer = await service.ask(method, target, body, mia)
    t.same([answer.status, keys(answer)], [403, ['Base.InsufficientPrivilege']], `${method} ${target}`)
  }
  t.equal(
    (await service.ask('POST', accounts, { UserName: 'eve', Password: password, RoleId: 'Users' }, mia)).status,
    201
  )
  t.equal((await service.ask('PATCH', `${accounts}eve/`, { RoleId: 'ReadOnly' }, mia)).status, 200)
})

t.test('as many roles are made as the configuration allows, and all others are refused with 409', async (t) => {
  const { service } = await ready(t)
  const most = configuration.limits.roles
  const statuses: number[] = []
  for (let number = 0; number < 2 * most; number += 1)
    statuses.push((await service.ask('POST', roles, { RoleId: `Role${number}` })).status)
  const made = most - 1
  t.same(statuses, [...Array(made).fill(201), ...Array(2 * most - made).fill(409)])
})

t.test('a role with unknown privileges or an invalid name is 400, a change of a standard role 405', async (t) => {
  const { service } = await ready(t)
  for (const body of [
    { RoleId: 'Mine', AssignedPrivileges: ['Everything'] },
    { RoleId: 'Mine', OemPrivileges: ['UserConfig'] },
    { RoleId: 'Mine', OemPrivileges: [null] },
    { RoleId: 'Mine', AssignedPrivileges: 'Login' },
    { RoleId: '../admin' },
    { RoleId: '__proto__' },
    { RoleId: 'x'.repeat(65) },
    { RoleId: 7 },
    { AssignedPrivileges: ['Login'] }
  ])
    t.equal((await service.ask('POST', roles, body)).status, 400, JSON.stringify(body))
  const changed = await service.ask('PATCH', `${roles}ReadOnly/`, { OemPrivileges: ['MgmtConfigPriv'] })
  t.same([changed.status, changed.headers.allow], [405, 'GET, HEAD'])
  t.equal((await service.ask('DELETE', `${roles}Administrator/`)).status, 405)
})
