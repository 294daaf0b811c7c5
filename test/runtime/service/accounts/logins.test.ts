import t from 'tap'
import { configuration } from '#data/configuration'
import { as, type Fixture, openFixture } from '#test/runtime/service.ts'

const accounts = '/redfish/v1/AccountService/Accounts/'
const sessions = '/redfish/v1/SessionService/Sessions/'
const chassis = '/redfish/v1/Chassis/1/'
const first = 'Green-Door-4'
const second = 'Green-Gate-5'

const create = (service: Fixture, role = 'ReadOnly') =>
  service.ask('POST', accounts, { UserName: 'ann', Password: first, RoleId: role })

/** Changes of the account, by their names. */
const changes: Readonly<Record<string, (service: Fixture) => Promise<unknown>>> = {
  'a new password': (service) => service.ask('PATCH', `${accounts}ann/`, { Password: second }),
  'a disabling and an enabling': async (service) => {
    await service.ask('PATCH', `${accounts}ann/`, { Enabled: false })
    await service.ask('PATCH', `${accounts}ann/`, { Enabled: true })
  },
  'a deletion and a new account of the name': async (service) => {
    await service.ask('DELETE', `${accounts}ann/`)
    await create(service, 'Administrator')
  }
}

for (const [name, change] of Object.entries(changes)) {
  t.test(`no login outlives ${name} that its check overlaps with`, async (t) => {
    let hashing = configuration.password
    const service = await openFixture(({ password }) => {
      hashing = password
    })
    t.teardown(() => service.close())
    const { iterations } = hashing
    Object.assign(hashing, { iterations: 300_000 })
    await create(service)
    Object.assign(hashing, { iterations })
    // Checks of this password are slow, and the change of the account falls into them.
    const login = service.ask('POST', sessions, { UserName: 'ann', Password: first }, {})
    const probe = service.ask('GET', chassis, undefined, as('ann', first))
    await change(service)
    const answer = await login
    await probe
    const token = { 'x-auth-token': answer.headers['x-auth-token'] ?? '' }
    t.equal((await service.ask('GET', chassis, undefined, token)).status, 401, 'the session')
    if (name === 'a new password') {
      t.equal((await service.ask('GET', chassis, undefined, as('ann', first))).status, 401, 'the password')
    }
  })
}
