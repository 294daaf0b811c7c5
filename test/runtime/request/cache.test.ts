import t from 'tap'
import { debugLines, type Line } from '../log.ts'
import { as, type Fixture, openFixture, password } from '../service.ts'

const root = '/redfish/v1'

/** The causes that the log gives for an answer to a GET, or for the end of one that was cached. */
async function causes(t: Parameters<typeof debugLines>[0], fixture: Fixture, work: () => Promise<unknown>) {
  const lines = debugLines(t)
  t.teardown(() => fixture.close())
  await work()
  return lines()
    .filter(({ message }) => message === 'an answer is not cached' || message === 'a cached answer is dropped')
    .map(({ message, uri, cause }: Line) => [message, uri, cause])
}

t.test('the log says which read keeps an answer out of the cache', async (t) => {
  const fixture = await openFixture()
  const { headers } = await fixture.ask('POST', `${root}/EventService/Subscriptions/`, {
    Destination: 'https://127.0.0.1:9/events'
  })
  const subscription = headers.location?.slice(0, -1)
  const reasons = await causes(t, fixture, async () => {
    await fixture.ask('GET', `${root}/Managers/1/`)
    await fixture.ask('GET', `${subscription}/`)
  })
  t.same(reasons, [
    ['an answer is not cached', `${root}/Managers/1`, 'clock'],
    ['an answer is not cached', subscription, 'delivery']
  ])
})

t.test('the log says that a session is not cached, and shows no token', async (t) => {
  const fixture = await openFixture()
  const login = await fixture.ask('POST', `${root}/SessionService/Sessions/`, {
    UserName: 'admin',
    Password: password
  })
  const session = login.json['@odata.id'].slice(0, -1)
  const reasons = await causes(t, fixture, () => fixture.ask('GET', `${session}/`))
  t.same(reasons, [['an answer is not cached', session, 'session']])
  t.notMatch(JSON.stringify(reasons), login.headers['x-auth-token'])
})

t.test('the log says that an answer is too large for the cache', async (t) => {
  const fixture = await openFixture((configuration) => {
    configuration.limits.cache = 100
  })
  const reasons = await causes(t, fixture, () => fixture.ask('GET', `${root}/Systems/1/`))
  t.same(reasons, [['an answer is not cached', `${root}/Systems/1`, 'size']])
})

t.test(
  'the host may not repeat an answer that is too large for the cache, which would not announce its end',
  async (t) => {
    for (const [cache, expected] of [
      [100, undefined],
      [1_000_000, `${root}/Chassis/1`]
    ] as const) {
      const { service, close } = await openFixture(({ limits }) => {
        limits.cache = cache
      })
      t.teardown(close)
      const head = { method: 'GET', target: `${root}/Chassis/1/`, headers: as('admin', password), address: '127.0.0.1' }
      t.equal((await service.handling.handle(head)).lasting, expected, `${cache} bytes`)
    }
  }
)

t.test('a large expansion leaves the resources in the cache that it consists of', async (t) => {
  const fixture = await openFixture((configuration) => {
    configuration.limits.cache = 200_000
  })
  const expanded = `${root}/Systems/?$expand=*($levels=3)`
  // The manager shows when it started, which is to be another time than now.
  fixture.sleep(60)
  const reasons = await causes(t, fixture, () => fixture.ask('GET', expanded))
  t.match(reasons.at(-1), ['an answer is not cached', /\$expand/, 'size'])
  t.notOk(reasons.some(([, , cause]) => cause === 'room'))
})

t.test('an answer is kept as well when the client already had it', async (t) => {
  const fixture = await openFixture()
  const { headers } = await fixture.ask('GET', `${root}/Chassis/1/?$select=Name`)
  const tag = { 'if-none-match': headers.etag ?? '' }
  const reasons = await causes(t, fixture, async () => {
    const answer = await fixture.ask('GET', `${root}/Chassis/1/`, undefined, { ...as('admin', password), ...tag })
    t.equal(answer.status, 304)
    return fixture.ask('PATCH', `${root}/Chassis/1/`, { LocationIndicatorActive: true })
  })
  t.same(reasons.sort(), [
    ['a cached answer is dropped', `${root}/Chassis/1`, 'chassis/'],
    ['a cached answer is dropped', `${root}/Chassis/1?$select=Name`, 'chassis/']
  ])
})

t.test('the log names the reason for which a cached answer is dropped', async (t) => {
  const fixture = await openFixture()
  await fixture.ask('GET', `${root}/Chassis/1/`)
  const reasons = await causes(t, fixture, () =>
    fixture.ask('PATCH', `${root}/Chassis/1/`, { LocationIndicatorActive: true })
  )
  t.same(reasons, [['a cached answer is dropped', `${root}/Chassis/1`, 'chassis/']])
})

t.test('the log says nothing of all this at the level info', async (t) => {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const written = t.capture(process.stderr, 'write', () => true)
  await fixture.ask('GET', `${root}/Managers/1/`)
  t.same(written(), [])
})
