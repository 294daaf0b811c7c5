import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { ControllerSummary } from '#data/fleet'
import { FaultSetting } from '#runtime/fleet/fault-setting.ts'
import { Logins } from '#runtime/fleet/logins.ts'
import { FleetPage } from '#runtime/fleet/page.ts'
import { Rows } from '#runtime/fleet/rows.ts'
import { Scenario } from '#runtime/fleet/scenario.ts'
import { faultOf, offeredFaults } from '#runtime/page/rules/fleet.ts'
import { Messages } from '#runtime/request/answer.ts'
import { Origins } from '#runtime/request/origin.ts'
import { password } from '#test/runtime/service.ts'
import { changing, open } from './open.ts'

const sessions = '/redfish/v1/SessionService/Sessions'
const json = { 'content-type': 'application/json' }

const settings = {
  sessionTimeout: 60,
  events: { streamKeepAlive: 30, streamUnread: 1000 },
  limits: { body: 10_000, bodyBeforeLogin: 1000, streams: 2, sessions: 3 },
  lockout: { threshold: 3, duration: 60, counterResetAfter: 60 }
}

/** The page of a fleet without a listener; the clock of its logins is in the test's hand. */
async function openPage(t: Test, count = 3, more: object = {}) {
  const { fleet, ask } = await open(t, t.testdir(), count, more)
  const clock = { now: 0, elapsed: () => clock.now }
  const logins = new Logins(password, settings as never, clock)
  const rows = new Rows(fleet.roster)
  for (const each of fleet.roster) each.url = `https://127.20.0.${each.number}:8443/redfish/v1/`
  const { setting, addresses } = changing(fleet)
  const scenario = new Scenario([{ at: '00:01', restart: true }], { ...fleet, setting, addresses })
  const { roster, time, documents } = fleet
  const parts = { roster, rows, setting, addresses, scenario, time, logins, documents, origins: new Origins('') }
  const page = new FleetPage(parts, new Messages('verbose'), settings)
  const request = async (method: string, target: string, headers: object = {}, body?: object) => {
    const head = { method, target, headers: { host: 'fleet:1', ...headers }, address: '127.0.0.1' }
    const begun = page.begin(head)
    const answer = 'finish' in begun ? await begun.finish(new TextEncoder().encode(JSON.stringify(body))) : begun
    const text = new TextDecoder().decode(answer.body)
    return { ...answer, json: text.startsWith('{') ? JSON.parse(text) : undefined }
  }
  const logIn = async (secret = password, user = 'admin') => {
    const answer = await request('POST', sessions, json, { UserName: user, Password: secret })
    const token = answer.headers[answer.headers.indexOf('X-Auth-Token') + 1]!
    return { status: answer.status, uri: answer.json?.['@odata.id'] as string, token: { 'x-auth-token': token } }
  }
  const { token } = await logIn()
  const list = async () => (await request('GET', '/fleet/', token)).json.controllers as ControllerSummary[]
  const act = (action: object) => request('POST', '/fleet/', { ...token, ...json }, action)
  return { fleet, ask, request, logIn, token, list, act, clock, page, rows, scenario }
}

t.test('the list shows what is known of each controller, and opens none', async (t) => {
  const { fleet, ask, list } = await openPage(t)
  t.strictSame(await list(), [
    ...[1, 2, 3].map((number) => ({
      number,
      name: `bmc-0000${number}`,
      url: `https://127.20.0.${number}:8443/`,
      state: 'Closed',
      faults: []
    }))
  ])
  t.equal(fleet.roster.open, 0)
  await ask(2, 'GET', '/redfish/v1/')
  const known = { state: 'Open', health: 'OK', power: { On: 1 }, version: '2.40' }
  t.match((await list())[1], { ...known, version: /\d/ })
  await fleet.roster.get(2)?.close()
  t.match((await list())[1], { ...known, state: 'Closed', version: /\d/ }, 'it is as it was when it was closed')
})

t.test('the list comes in parts of a thousand controllers', async (t) => {
  const { request, token } = await openPage(t, 1001)
  const first = (await request('GET', '/fleet/', token)).json
  t.same([first.controllers.length, first.more], [1000, true])
  const rest = (await request('GET', '/fleet/?after=1000', token)).json
  t.same([rest.controllers.map((each: ControllerSummary) => each.number), rest.more], [[1001], false])
})

t.test('a group action opens and switches controllers, and says with which it failed', async (t) => {
  const { fleet, list, act } = await openPage(t)
  t.same((await act({ controllers: [1, 3], open: true })).json, { failed: [] })
  t.same(
    (await list()).map(({ state }) => state),
    ['Open', 'Closed', 'Open']
  )
  const off = await act({ controllers: [1, 2, 9], power: 'ForceOff' })
  t.match(off.json, { failed: [{ number: 9, message: /9/ }] })
  for (const number of [1, 2]) {
    while (fleet.roster.get(number)?.service?.hardware.power('1') !== 'Off') await pause(10)
  }
  t.match((await act({ controllers: [1, 2], power: 'ForceOff' })).json.failed, [
    { number: 1, message: 'The operation is not possible in the present state of the system.' },
    { number: 2 }
  ])
})

t.test('a group action restarts controllers, which are away meanwhile', async (t) => {
  const { list, act } = await openPage(t)
  t.same((await act({ controllers: [2], restart: true })).json, { failed: [] })
  t.same(
    (await list()).map(({ state }) => state),
    ['Closed', 'Restarting', 'Closed']
  )
  t.match((await act({ controllers: [2], power: 'ForceOff' })).json.failed, [{ number: 2 }])
})

t.test('faults are put on beside others, and off by their names', async (t) => {
  const { fleet, list, act } = await openPage(t, 2)
  const faults = async () => (await list())[0]!.faults
  const stuck = { devices: { power: { faults: { stuckOn: true } } } }
  await act({ controllers: [1], addFaults: { ...stuck, rules: [{ delay: 0.2, quirks: ['NoETag'] }] } })
  await act({ controllers: [1], addFaults: { devices: { power: { faults: { slow: 10 } } }, rules: [{ status: 503 }] } })
  const all = ['power.stuckOn', 'power.slow', 'requests.delay', 'requests.NoETag', 'requests.status']
  t.strictSame(await faults(), all)
  t.strictSame((await list())[1]!.faults, [])
  await act({ controllers: [1], removeFaults: ['power.stuckOn', 'requests.NoETag'] })
  t.strictSame(await faults(), ['power.slow', 'requests.status'], 'a rule goes with any of its faults')
  t.strictSame(fleet.roster.get(1)?.deviceFaults, { power: { faults: { slow: 10 } } })
  const wrong = await act({ controllers: [1, 2], addFaults: { devices: { power: { faults: { flies: true } } } } })
  t.equal(wrong.json.failed.length, 2, 'no power has such a fault')
  const one = { controllers: [2], addFaults: { rules: [{ delay: 0.1 }] } }
  await Promise.all([act(one), act({ ...one, addFaults: stuck })])
  t.strictSame((await list())[1]!.faults, ['power.stuckOn', 'requests.delay'], 'neither undoes the other')
})

t.test('the devices of a simulated machine have each fault that the page offers', async (t) => {
  const { act } = await openPage(t)
  for (const { name, number } of offeredFaults) {
    const addFaults = faultOf({ name, number: number?.value ?? 0, path: '', share: 100 })
    t.same((await act({ controllers: [1], addFaults })).json, { failed: [] }, name)
  }
})

t.test('faults stay on when the fleet is started again', async (t) => {
  const directory = t.testdir()
  const { fleet } = await open(t, directory)
  const setting = new FaultSetting(fleet.database, () => undefined)
  await setting.change(fleet.roster.get(1)!, () => ({ Rules: [{ delay: 1 }] }))
  await fleet.close()
  t.same((await open(t, directory)).fleet.roster.get(1)?.faults.rules, [{ delay: 1 }])
})

t.test('a stream tells what changes in the list, and nothing else', async (t) => {
  const { ask, act, page, token, fleet } = await openPage(t)
  await ask(1, 'GET', '/redfish/v1/')
  const begun = page.begin({ method: 'GET', target: '/fleet/events', headers: token, address: '' })
  if ('finish' in begun) return t.fail('a stream is no change')
  const said: string[] = []
  let isOver = false
  const sink = {
    write: (text: string) => void said.push(text),
    unread: () => 0,
    end: () => (isOver = true),
    cut: () => {}
  }
  const gone = begun.stream!(sink as never)
  t.teardown(gone)
  await act({ controllers: [2, 3], addFaults: { rules: [{ delay: 0.1 }] } })
  await act({ controllers: [1], power: 'ForceOff' })
  while (said.length < 2) await pause(10)
  const { controllers } = JSON.parse(said[1]!.replace(/^data: /, ''))
  t.same(
    controllers.map(({ number, faults }: ControllerSummary) => [number, faults]),
    [
      [2, ['requests.delay']],
      [3, ['requests.delay']],
      [1, []]
    ]
  )
  await fleet.roster.get(1)?.service?.devices.sensors.get('1')?.poll()
  await pause(300)
  t.equal(said.length, 2, 'readings are not in the list')
  t.notOk(isOver)
})

t.test('streams are few, and end with their session', async (t) => {
  const { page, request, logIn } = await openPage(t)
  const { token, uri } = await logIn()
  const begin = () => page.begin({ method: 'GET', target: '/fleet/events', headers: token, address: '' })
  const ends: boolean[] = []
  const opened = [begin(), begin()].map((begun, index) => {
    if (!('stream' in begun)) throw new Error('no stream')
    return begun.stream!({ write: () => {}, unread: () => 0, end: () => (ends[index] = true), cut: () => {} } as never)
  })
  t.match(begin(), { status: 503 })
  t.equal((await request('DELETE', uri, token)).status, 204)
  t.same(ends, [true, true])
  for (const gone of opened) gone()
  const again = await logIn()
  t.match(page.begin({ method: 'GET', target: '/fleet/events', headers: again.token, address: '' }), { status: 200 })
})

t.test('the list, its changes and group actions need a session', async (t) => {
  const { request, logIn, token, clock } = await openPage(t)
  for (const [method, target] of [
    ['GET', '/fleet/'],
    ['GET', '/fleet/events'],
    ['POST', '/fleet/'],
    ['GET', '/redfish/v1/SessionService/'],
    ['GET', '/anything']
  ] as const) {
    t.equal((await request(method, target, json, {})).status, 401, target)
    t.equal((await request(method, target, { ...json, 'x-auth-token': 'x' }, {})).status, 401, target)
  }
  t.equal((await request('GET', '/fleet/', token)).status, 200)
  clock.now = 60_000
  t.equal((await request('GET', '/fleet/', token)).status, 401, 'it was idle for too long')
  t.equal((await logIn()).status, 201)
})

t.test('a wrong password is refused, and after three the right one as well for a while', async (t) => {
  const { logIn, request, token, clock } = await openPage(t)
  t.equal((await logIn(password, 'root')).status, 401)
  for (let count = 2; count <= 3; count += 1) t.equal((await logIn('wrong')).status, 401)
  t.equal((await logIn()).status, 401)
  t.equal((await request('GET', '/fleet/', token)).status, 200, 'who is logged in stays so')
  clock.now = 59_999
  await request('GET', '/fleet/', token)
  t.equal((await logIn()).status, 401)
  clock.now = 60_000
  t.equal((await logIn()).status, 201)
})

t.test('there are only so many sessions', async (t) => {
  const { logIn } = await openPage(t)
  t.same([(await logIn()).status, (await logIn()).status, (await logIn()).status], [201, 201, 503])
})

t.test('a page of another site changes nothing, and opens no stream', async (t) => {
  const { request, token, list } = await openPage(t)
  const foreign = [{ origin: 'https://other.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]
  const delay = { controllers: [1], addFaults: { rules: [{ delay: 1 }] } }
  for (const headers of foreign) {
    t.equal((await request('POST', '/fleet/', { ...token, ...json, ...headers }, delay)).status, 403)
    t.equal((await request('POST', sessions, { ...json, ...headers }, {})).status, 403)
    t.equal((await request('GET', '/fleet/events', { ...token, ...headers })).status, 403)
  }
  t.same((await list())[0]!.faults, [])
  const own = { origin: 'https://fleet:1' }
  t.equal((await request('POST', '/fleet/', { ...token, ...json, ...own }, delay)).status, 200)
  t.equal(
    (await request('POST', '/fleet/', { ...token, ...own, 'content-type': 'text/plain', 'content-length': '9' }))
      .status,
    415
  )
})

t.test('a body that is no group action is refused', async (t) => {
  const { act } = await openPage(t)
  for (const body of [{}, { controllers: 1 }, { controllers: [1], power: 'Nmi' }, { controllers: Array(51).fill(1) }])
    t.equal((await act(body)).status, 400, JSON.stringify(body))
})

t.test('the time of the scenario is shown, stopped and advanced', async (t) => {
  const { fleet, request, token, scenario } = await openPage(t, 2, { speed: 0 })
  await scenario.begin()
  t.same((await request('GET', '/fleet/time', token)).json, { seconds: 0, speed: 0, steps: 1, done: 0 })
  const set = (body: object) => request('POST', '/fleet/time', { ...token, ...json }, body)
  t.equal((await set({ advance: 59 })).json.done, 0)
  t.same((await set({ advance: 1 })).json, { seconds: 60, speed: 0, steps: 1, done: 1 })
  t.ok(fleet.roster.get(2)?.isAway)
  t.equal((await set({ advance: 3 })).status, 200)
  t.notOk(fleet.roster.get(2)?.isAway, 'it is back after three seconds')
  for (const wrong of [{ speed: -1 }, { advance: 'x' }, { back: 1 }]) t.equal((await set(wrong)).status, 400)
  t.equal((await set({ speed: 60 })).json.speed, 60)
  t.equal((await request('GET', '/fleet/time')).status, 401)
})
