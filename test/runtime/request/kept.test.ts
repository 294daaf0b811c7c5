import t from 'tap'
import { AnswerCache } from '#runtime/request/cache.ts'
import { random, seed } from '#test/campaign.ts'
import { as, type Fixture, openFixture } from '../service.ts'

const root = '/redfish/v1'

/** How many answers are compared; `npm run compare` takes a million. */
const wanted = Number(process.env.MINNOW_COMPARISONS ?? 300)

/** A comparison takes 3 ms on a quiet machine. */
const timeout = 60_000 + wanted * 50
t.setTimeout(timeout)

const between = random(seed)
const below = (count: number) => Math.floor(between() * count)
const oneOf = <T>(values: readonly T[]) => values[below(values.length)] as T

const targets = [
  ...['', '/Systems', '/Systems/1', '/Systems/1/Bios', '/Systems/1/Bios/Settings', '/Systems/1/SecureBoot', '/Chassis'],
  ...[
    '/Chassis/1',
    '/Chassis/1/Thermal',
    '/Chassis/1/Power',
    '/Chassis/1/Sensors',
    '/Chassis/1/Sensors/1',
    '/Managers'
  ],
  ...[
    '/Managers/1',
    '/Managers/1/EthernetInterfaces',
    '/AccountService',
    '/AccountService/Accounts',
    '/SessionService'
  ],
  ...['/AccountService/Accounts/reader', '/SessionService/Sessions', '/SessionService/Sessions', '/EventService'],
  ...['/EventService/Subscriptions', '/ResourceDirectory'],
  ...['/TaskService/Tasks', '/UpdateService/FirmwareInventory', '/TelemetryService/MetricReports', '/LicenseService']
].map((path) => `${root}${path}/`)

const queries = [
  ...['', '', '', '$select=Id', '$select=Name,Status', '$expand=.', '$expand=*', '$expand=~', '$expand=*($levels=2)'],
  ...['$expand=.&$select=Members', '$top=1', '$skip=1', '$top=1&$expand=.', "$filter=Name%20ne%20'x'", 'only', 'x=1'],
  ...['only&$select=Id', '$count=true', "$filter=Id%20eq%20'1'&$expand=."]
]

/** Things that other clients, and the machine by itself, do. */
const changes: readonly ((fixture: Fixture) => unknown)[] = [
  ({ ask }) => ask('PATCH', `${root}/Systems/1/`, { AssetTag: `tag ${below(1000)}` }),
  ({ ask }) => ask('PATCH', `${root}/Chassis/1/`, { LocationIndicatorActive: below(2) === 0 }),
  ({ ask }) => ask('PATCH', `${root}/AccountService/Accounts/reader/`, { RoleId: oneOf(['ReadOnly', 'Operator']) }),
  ({ ask }) =>
    ask('PATCH', `${root}/Systems/1/Bios/Settings/`, { Attributes: { WakeOnLan: oneOf(['Enabled', 'Disabled']) } }),
  ({ ask }) => ask('POST', `${root}/Systems/1/Actions/ComputerSystem.Reset/`, { ResetType: oneOf(['On', 'ForceOff']) }),
  ({ ask }) =>
    ask('POST', `${root}/EventService/Subscriptions/`, { Destination: 'https://127.0.0.1:9/e', Protocol: 'Redfish' }),
  ({ sleep, sensors }) => {
    sleep(5)
    return sensors['1']?.poll()
  }
]

t.test('a kept answer is the one that would be made now', { timeout }, async (t) => {
  t.comment(`seed ${seed}`)
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const accounts = `${root}/AccountService/Accounts/`
  for (const [UserName, RoleId] of [
    ['reader', 'ReadOnly'],
    ['worker', 'Operator']
  ])
    t.equal((await fixture.ask('POST', accounts, { UserName, RoleId, Password: 'Tin-Whistle-7' })).status, 201)
  const login = async (UserName: string, Password: string) => {
    const { headers } = await fixture.ask('POST', `${root}/SessionService/Sessions/`, { UserName, Password })
    return { 'x-auth-token': String(headers['x-auth-token']) }
  }
  const clients = [
    ...[undefined, as('reader', 'Tin-Whistle-7'), as('worker', 'Tin-Whistle-7')],
    ...[await login('reader', 'Tin-Whistle-7'), await login('reader', 'Tin-Whistle-7')]
  ]
  let fromCache = 0
  const { get, set } = AnswerCache.prototype
  const restore = () => Object.assign(AnswerCache.prototype, { get, set })
  t.teardown(restore)
  const ask = async (target: string, client: (typeof clients)[number]) => {
    const { status, headers, text } = await fixture.ask('GET', target, undefined, client)
    return JSON.stringify([status, headers, text])
  }
  for (let n = 0; n < wanted; n++) {
    if (below(10) === 0) await oneOf(changes)(fixture)
    const query = oneOf(queries)
    const target = `${oneOf(targets)}${query && '?'}${query}`
    const client = oneOf(clients)
    AnswerCache.prototype.get = function (name) {
      const found = get.call(this, name)
      if (found !== undefined) fromCache++
      return found
    }
    const kept = await ask(target, client)
    Object.assign(AnswerCache.prototype, { get: () => undefined, set: () => false })
    const fresh = await ask(target, client)
    restore()
    // The machine goes on by itself meanwhile: what is not the same a third time was good when it was given.
    if (kept !== fresh && kept === (await ask(target, client))) {
      const at = [...kept].findIndex((character, index) => character !== fresh[index])
      t.equal(kept.slice(at - 80, at + 80), fresh.slice(at - 80, at + 80), target)
    }
  }
  t.comment(`${fromCache} of ${wanted} were kept`)
  t.ok(fromCache > wanted / 5)
})
