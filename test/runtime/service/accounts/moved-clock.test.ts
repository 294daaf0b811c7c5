import t, { type Test } from 'tap'
import { as, type Fixture, keys, openFixture, password } from '#test/runtime/service.ts'

const admin = '/redfish/v1/AccountService/Accounts/admin/'
const sessions = '/redfish/v1/SessionService/Sessions/'
const chassis = '/redfish/v1/Chassis/1/'
const tenYears = 10 * 365 * 86_400

async function open(t: Test): Promise<Fixture> {
  const service = await openFixture()
  t.teardown(() => service.close())
  return service
}

const get = async (service: Fixture, secret = password) => service.ask('GET', chassis, undefined, as('admin', secret))

/** Locks the only administrator, for a minute. */
async function lock(service: Fixture): Promise<void> {
  for (let failed = 0; failed < 5; failed += 1) await get(service, 'wrong')
}

async function login(service: Fixture) {
  const answer = await service.ask('POST', sessions, { UserName: 'admin', Password: password }, {})
  const token = { 'x-auth-token': answer.headers['x-auth-token'] ?? '' }
  return { uri: answer.headers.location ?? '', use: () => service.ask('GET', chassis, undefined, token) }
}

for (const [name, leap] of Object.entries({ back: -tenYears, forward: tenYears })) {
  t.test(`a lockout lasts as long as it should when the clock is set ${name}`, async (t) => {
    const service = await open(t)
    await lock(service)
    service.setClock(leap)
    service.sleep(20)
    const early = await get(service)
    t.same([early.status, keys(early), early.headers['retry-after']], [401, ['Mgmt.LoginAttemptDelayedSeconds'], '40'])
    service.sleep(40)
    t.equal((await get(service)).status, 200)
    t.equal((await service.ask('GET', admin)).json.Locked, false)
  })

  t.test(`a session ends when it was idle for too long, and no earlier, when the clock is set ${name}`, async (t) => {
    const service = await open(t)
    const [used, idle] = [await login(service), await login(service)]
    service.setClock(leap)
    service.sleep(1000)
    const { json } = await service.ask('GET', idle.uri)
    const now = Date.parse((await service.ask('GET', '/redfish/v1/Managers/1/')).json.DateTime)
    t.equal(Date.parse(json.Oem.Vendor.AccessTime), now - 1_000_000, 'by the clock as it is set')
    t.equal((await used.use()).status, 200)
    service.sleep(1000)
    t.equal((await idle.use()).status, 401)
    t.equal((await used.use()).status, 200)
  })

  t.test(`failed logins are counted as long as they should when the clock is set ${name}`, async (t) => {
    const service = await open(t)
    for (let failed = 0; failed < 4; failed += 1) await get(service, 'wrong')
    service.setClock(leap)
    service.sleep(59)
    await get(service, 'wrong')
    t.match((await get(service)).headers, { 'retry-after': '60' })
    service.sleep(60)
    for (let failed = 0; failed < 4; failed += 1) await get(service, 'wrong')
    service.setClock(leap / 2)
    service.sleep(60)
    await get(service, 'wrong')
    t.equal((await get(service)).status, 200, 'those from before are forgotten')
  })

  t.test(
    `lockouts and sessions are as they were after a restart that follows when the clock was set ${name}`,
    async (t) => {
      const service = await open(t)
      const session = await login(service)
      await lock(service)
      service.setClock(leap)
      await service.service.tend()
      await service.restart()
      t.equal((await get(service)).headers['retry-after'], '60')
      service.sleep(60)
      t.equal((await get(service)).status, 200)
      service.sleep(1700)
      t.equal((await session.use()).status, 200)
      service.sleep(1800)
      t.equal((await session.use()).status, 401)
    }
  )
}

t.test(
  'times stored by a clock that was ten years ahead end no later than times that begin at the restart',
  async (t) => {
    const service = await open(t)
    service.setClock(tenYears)
    const session = await login(service)
    await lock(service)
    await service.restart()
    service.setClock(-tenYears)
    await service.restart()
    t.equal((await get(service)).headers['retry-after'], '60')
    service.sleep(60)
    t.equal((await get(service)).status, 200)
    t.equal((await session.use()).status, 200)
    service.sleep(1800)
    t.equal((await session.use()).status, 401)
  }
)

t.test('a lockout that has ended does not return when the clock is set back', async (t) => {
  const service = await open(t)
  await lock(service)
  service.sleep(60)
  t.equal((await get(service)).status, 200)
  await service.service.tend()
  service.setClock(-tenYears)
  await service.restart()
  t.equal((await get(service)).status, 200)
})
