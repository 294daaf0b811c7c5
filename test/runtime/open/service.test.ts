// own process: it counts the files and the timers of the process
import { createHook } from 'node:async_hooks'
import { readdirSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { Closable } from '#runtime/base/opening.ts'
import type { ServiceOptions } from '#runtime/open/options.ts'
import { openService } from '#runtime/open/service.ts'
import { Store } from '#runtime/store/store.ts'
import { serveHttps } from '#test/runtime/service/https-server.ts'
import { as, type Fixture, openFixture, password, simulated } from '#test/runtime/service.ts'

const system = '/redfish/v1/Systems/1/'
const sessions = '/redfish/v1/SessionService/Sessions/'
const definition = '/redfish/v1/TelemetryService/MetricReportDefinitions/CPUUtilization/'
const subscriptions = '/redfish/v1/EventService/Subscriptions/'

const asAdmin = { address: '::1', headers: as('admin', password) }
/** A client that takes everything, and is gone when its connection ends. */
const client = { write: () => {}, unread: () => 0, cut: () => {} }
const upgrade = {
  upgrade: 'websocket',
  connection: 'upgrade',
  'sec-websocket-version': '13',
  'sec-websocket-key': `${'A'.repeat(22)}==`
}

const timers = new Set<number>()
createHook({
  init(id, type) {
    // undici has one timer for all connections of the process, which ends by itself.
    if (type === 'Timeout' && !new Error().stack?.includes('/undici/')) timers.add(id)
  },
  destroy: (id) => timers.delete(id)
}).enable()

/** The files that this process has open, and the timers that wait, also those that keep no process alive. */
function held() {
  return { files: readdirSync('/proc/self/fd').length, timers: [...timers] }
}

/** Nothing that was not held before. */
const nothing = { files: 0, timers: [] }

/** The files and timers beyond `before`. Waits up to 1000 turns: sockets and timers end shortly after being closed. */
async function heldBeyond(before: ReturnType<typeof held>) {
  const beyond = () => {
    const { files, timers } = held()
    return { files: Math.max(0, files - before.files), timers: timers.filter((each) => !before.timers.includes(each)) }
  }
  for (let turn = 0; turn < 1000 && JSON.stringify(beyond()) !== JSON.stringify(nothing); turn += 1) {
    await new Promise(setImmediate)
  }
  return beyond()
}

t.test('ten services in one process do not see one another', async (t) => {
  await (await openFixture()).close()
  const before = held()
  const services = await Promise.all(Array.from({ length: 10 }, () => openFixture()))
  const tags = services.map((_, index) => `rack ${index}`)
  const logins = await Promise.all(
    services.map(async ({ ask, power }, index) => {
      const changed = await ask('PATCH', system, { AssetTag: tags[index] })
      t.equal(changed.status, 200, changed.text)
      const off = new Promise<void>((resolve) => {
        power.on((event) => event.type === 'state' && event.state === 'Off' && resolve())
      })
      if (index % 2 === 0) {
        await ask('POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceOff' })
        await off
      }
      const Schedule = { RecurrenceInterval: 'PT1H' }
      const periodic = await ask('PATCH', definition, { MetricReportDefinitionType: 'Periodic', Schedule })
      t.equal(periodic.status, 200, periodic.text)
      const subscribed = await ask('POST', subscriptions, { Destination: `https://127.0.0.1:1/${index}` })
      t.equal(subscribed.status, 201, subscribed.text)
      const { headers } = await ask('POST', sessions, { UserName: 'admin', Password: password }, {})
      return { 'x-auth-token': headers['x-auth-token'] as string }
    })
  )
  for (const [index, { ask }] of services.entries()) {
    const { AssetTag, PowerState } = (await ask('GET', system, undefined, logins[index])).json
    t.same([AssetTag, PowerState], [tags[index], index % 2 === 0 ? 'Off' : 'On'])
    const { Members } = (await ask('GET', `${subscriptions}?$expand=.`)).json
    t.match(Members, [{ Destination: `https://127.0.0.1:1/${index}` }])
    t.equal(Members.length, 1)
    const other = logins[(index + 1) % logins.length]
    t.equal((await ask('GET', system, undefined, other)).status, 401, 'a session is of one service')
  }
  const [first, ...others] = services
  await first!.close()
  for (const { ask } of others) t.equal((await ask('GET', system, undefined, as('admin', password))).status, 200)
  await Promise.all(others.map(({ close }) => close()))
  t.same(await heldBeyond(before), nothing, 'nothing is left of them')
})

/** Work of a service that goes on until something else happens. @param silent a server that does not answer */
const unfinished: Readonly<Record<string, (fixture: Fixture, silent: string) => Promise<unknown>>> = {
  async 'a stream of events'({ service }) {
    const begun = await service.handling.begin({ ...asAdmin, method: 'GET', target: '/redfish/v1/EventService/SSE' })
    if (!('stream' in begun)) throw new Error('no stream')
    const gone = begun.stream?.({ ...client, end: () => gone?.() })
  },
  async 'a console'({ service }) {
    const target = `${system}SerialConsole`
    const headers = { ...asAdmin.headers, ...upgrade }
    const begun = await service.handling.begin({ ...asAdmin, method: 'GET', target, headers })
    if (!('exchange' in begun)) throw new Error('no console')
    const exchange = begun.exchange?.({ ...client, end: () => exchange?.gone(false) })
  },
  async 'an update whose file is fetched'({ ask }, silent) {
    const target = '/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate/'
    return (await ask('POST', target, { ImageURI: `${silent}/file` })).status === 202
  },
  async 'a medium that is fetched'({ ask }, silent) {
    const target = '/redfish/v1/Managers/1/VirtualMedia/2/Actions/VirtualMedia.InsertMedia/'
    void ask('POST', target, { Image: `${silent}/disc.iso` })
  },
  async 'a delayed start of the host'({ ask, power }) {
    await ask('PATCH', system, { PowerOnDelaySeconds: 240 })
    for (const [ResetType, expected] of [
      ['ForceOff', 'Off'],
      ['On', 'PoweringOn']
    ]) {
      await ask('POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType })
      while (power.state !== expected) await pause(1)
    }
  },
  async 'events for a listener that does not answer'({ ask }, silent) {
    await ask('POST', subscriptions, { Destination: `${silent}/events` })
    await ask('PATCH', system, { IndicatorLED: 'Lit' })
  },
  async 'a periodic metric report'({ ask }) {
    const Schedule = { RecurrenceInterval: 'PT1H' }
    await ask('PATCH', definition, { MetricReportDefinitionType: 'Periodic', Schedule })
  }
}

for (const [name, begin] of Object.entries(unfinished)) {
  t.test(`a service that is closed during ${name} leaves no file open, and no timer`, async (t) => {
    const asked = new Set<string | undefined>()
    const { origin } = await serveHttps(t, ({ url }) => asked.add(url))
    await (await openFixture()).close()
    const before = held()
    const fixture = await openFixture()
    await begin(fixture, origin)
    for (let turn = 0; turn < 100 && asked.size === 0; turn += 1) await pause(1)
    await fixture.close()
    t.same(await heldBeyond(before), nothing)
  })
}

t.test('a service reports that it is to restart, and the others continue', async (t) => {
  const [one, other] = [await openFixture(), await openFixture()]
  t.teardown(() => Promise.all([one.close(), other.close()]))
  let told = false
  void other.service.restarted.then(() => {
    told = true
  })
  const reset = '/redfish/v1/Managers/1/Actions/Manager.Reset/'
  t.equal((await one.ask('POST', reset, { ResetType: 'ForceRestart' })).status, 200)
  await one.service.restarted
  t.notOk(told)
})

interface Failure {
  readonly where: string
  readonly message: RegExp
  /** Spoils what is needed there. */
  spoil(directory: string, parts: ServiceOptions): ServiceOptions
}

const failures: readonly Failure[] = [
  {
    where: 'the state, after the store',
    message: /EEXIST/,
    spoil(directory, parts) {
      writeFileSync(`${directory}/keys`, 'no directory\n')
      return parts
    }
  },
  {
    where: 'the machine, at its last devices',
    message: /no back end sim for sensors/,
    spoil: (_, parts) => ({ ...parts, backends: { ...parts.backends, sensors: {} } })
  },
  {
    where: 'the machine, at its firmware',
    message: /no attribute registry/,
    spoil: (_, parts) => ({ ...parts, documents: { ...parts.documents, get: () => undefined } })
  },
  {
    where: 'the workers, at the certificate',
    message: /no room/,
    spoil: (_, parts) => ({
      ...parts,
      openCerts(directory) {
        const certs = parts.openCerts(directory)
        certs.set = () => Promise.reject(new Error('no room'))
        return certs
      }
    })
  },
  {
    where: 'the workers, at telemetry',
    message: /the clock is gone/,
    spoil(_, parts) {
      let isGone = false
      return {
        ...parts,
        openCerts(directory) {
          const certs = parts.openCerts(directory)
          certs.on(() => {
            isGone = true
          })
          return certs
        },
        clock: {
          ...parts.clock,
          now() {
            if (isGone) throw new Error('the clock is gone')
            return parts.clock.now()
          }
        }
      }
    }
  },
  {
    where: 'the protocol, at its routes',
    message: /already declared for route/,
    spoil: (_, parts) => ({ ...parts, handlers: [...parts.handlers, ...parts.handlers.slice(0, 1)] })
  },
  {
    where: 'the protocol, at its last step',
    message: /"password" argument/,
    spoil: (_, parts) => ({ ...parts, adminPassword: Symbol('no password') as unknown as string })
  }
]

/** Has each device say that it is open, and that it was closed. */
function watched(parts: ServiceOptions, open: Set<object>): ServiceOptions {
  const watch = <T extends Closable>(device: T): T => {
    const close = device.close.bind(device)
    open.add(device)
    device.close = async () => {
      await close()
      open.delete(device)
    }
    return device
  }
  const backends = Object.entries(parts.backends).map(([kind, makers]) => {
    const all = Object.entries(makers as Record<string, { open(told: never): Closable }>)
    const watching = all.map(([type, each]) => [type, { ...each, open: (told: never) => watch(each.open(told)) }])
    return [kind, Object.fromEntries(watching)]
  })
  return {
    ...parts,
    backends: Object.fromEntries(backends),
    openCerts: (directory) => watch(parts.openCerts(directory))
  }
}

for (const { where, message, spoil } of failures) {
  t.test(`when opening fails in ${where}, everything opened so far is closed`, async (t) => {
    const directory = t.testdir()
    const open = new Set<object>()
    const before = held()
    const parts = spoil(directory, watched(simulated(directory).parts, open))
    await t.rejects(openService(parts), { message })
    t.equal(open.size, 0, 'no device is open')
    t.same(await heldBeyond(before), nothing, 'no file is open, and no timer waits')
    const store = await Store.open(`${directory}/store`, parts.configuration.store)
    await store.close()
  })
}
