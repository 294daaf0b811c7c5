// Each noun declares its tables when it is loaded, which the handlers of the product see to.
import '#generated'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import { simPort } from '#hal/sim/ports.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { Events } from '#runtime/service/events/events.ts'
import { Network } from '#runtime/service/network/network.ts'
import { Store } from '#runtime/store/store.ts'
import { change, setUp, shared } from '#test/hal/contracts/port.ts'

const board = sim as Board
const key = '1/1'
const before = { ...setUp, ipv4: [{ address: '192.0.2.16', subnetMask: '255.255.255.0' }] }
const perform = { kind: 'configurePorts', manager: '1', ethernetInterface: '1' } as const

async function opened(t: Test) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  const port = simPort()
  const events = new Events(store, board, configuration, Date.now)
  const network = new Network({ store, board, ports: new Map([[key, port]]), events })
  t.teardown(async () => {
    network.close()
    await store.close()
  })
  const told = () => store.keys('event').map((each) => store.get('event', each)?.messageId.split('.').at(-1))
  const addresses = () => port.state.ipv4.map(({ address }) => address)
  /** Settles when the store has this trial. */
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((resolve) => store.revisions.onMoved(resolve))
  }
  return { store, port, network, told, addresses, until }
}

t.test('ports are set up at the start as clients have left them', async (t) => {
  const { store, network, addresses } = await opened(t)
  await store.commit({ portSettings: { [key]: setUp } })
  await network.open()
  t.strictSame(addresses(), ['198.51.100.9'])
})

t.test('a change is in force after its answer had time to leave', async (t) => {
  const { store, port, network, addresses, told } = await opened(t)
  await store.commit({ portSettings: { [key]: setUp } })
  const changed = change(port)
  await network.perform(perform)
  t.strictSame(addresses(), [], 'not yet')
  await changed
  t.strictSame([addresses(), told()], [['198.51.100.9'], []])
})

t.test('of ten changes at once the port is configured for the first, and once for the others', async (t) => {
  const { store, port, network, addresses } = await opened(t)
  const configure = port.configure
  let times = 0
  const twice = new Promise<void>((resolve) => {
    port.configure = async (...change) => {
      await configure(...change)
      if (++times === 2) resolve()
    }
  })
  await store.commit({ portSettings: { [key]: before } })
  for (let n = 0; n < 10; n++) await network.perform(perform)
  await store.commit({ portSettings: { [key]: setUp } })
  await twice
  t.strictSame(addresses(), ['198.51.100.9'])
  await sleep(700) // longer than a change waits for its answer to leave
  t.equal(times, 2)
})

t.test('ports receive the addresses of NTP servers, including those given by name', async (t) => {
  const { store, port, network } = await opened(t)
  const told: (readonly string[])[] = []
  const configure = port.configure
  Object.assign(port, { needsAddresses: true })
  const both = new Promise<void>((resolve) => {
    port.configure = async (settings, shared) => {
      await configure(settings, shared)
      told.push(shared.timeServers)
      if (told.length === 2) resolve()
    }
  })
  await store.commit({ clock: { 1: { timeServers: ['192.0.2.07', 'localhost', 'a..b'] } } })
  await network.open()
  await both
  t.strictSame(told[0], ['192.0.2.7'], 'at once')
  t.ok(told[1]?.includes('127.0.0.1') || told[1]?.includes('::1'))
})

t.test('a port receives four addresses of NTP servers at most, each once', async (t) => {
  const { store, port, network } = await opened(t)
  const [first, ...others] = [1, 2, 3, 4, 5].map((number) => `192.0.2.${number}`)
  let told: readonly string[] = []
  Object.assign(port, {
    needsAddresses: true,
    configure: async (_: unknown, { timeServers }: { timeServers: readonly string[] }) => {
      told = timeServers
    }
  })
  await store.commit({ clock: { 1: { timeServers: [first!, first!, ...others] } } })
  await network.open()
  t.strictSame(told, [first, ...others.slice(0, 3)])
})

for (const [when, wait, timeServers] of [
  ['in an hour', 3_600_000, ['localhost']],
  ['in a minute where one has no address', 60_000, ['localhost', 'a..b']]
] as const) {
  t.test(`names of NTP servers are looked up again ${when}`, async (t) => {
    const { store, port, network } = await opened(t)
    Object.assign(port, { needsAddresses: true })
    await store.commit({ clock: { 1: { timeServers } } })
    const { setTimeout } = globalThis
    const planned = new Promise((resolve) => {
      t.capture(globalThis, 'setTimeout', ((run: () => void, time = 0) => {
        if (time >= 60_000) resolve(time)
        return setTimeout(run, time)
      }) as typeof setTimeout)
    })
    await network.open()
    t.equal(await planned, wait)
  })
}

t.test('a change on trial is rolled back when no client uses the new address', async (t) => {
  const { store, network, addresses, told, until } = await opened(t)
  const opening = performance.now()
  await store.commit({ portSettings: { [key]: setUp }, portTrial: { [key]: { before, seconds: 0.1 } } })
  await network.open()
  t.strictSame(addresses(), ['198.51.100.9'])
  t.equal(network.reached({ localAddress: '192.0.2.16' }, performance.now()), true, 'elsewhere')
  t.equal(network.reached({ localAddress: '198.51.100.9' }, opening), true, 'may have been on its way before')
  await until(() => addresses()[0] === '192.0.2.16' || store.get('portTrial', key) === undefined)
  await until(() => told().length === 2)
  t.strictSame(store.get('portSettings', key), before)
  t.strictSame(told(), ['NetworkChangeTakenBack', 'ResourceChanged'])
  t.equal(network.reached({ localAddress: '192.0.2.16' }, performance.now()), false, 'nothing is on trial any more')
})

for (const [who, requests, isNew] of [
  ['a client comes to the new address', 1, true],
  ['a client who is connected to it asks, and asks again after the answer', 2, false]
] as const) {
  t.test(`it stays when ${who}`, async (t) => {
    const { store, network, addresses, told, until } = await opened(t)
    const opening = performance.now()
    await store.commit({ portSettings: { [key]: setUp }, portTrial: { [key]: { before, seconds: 3600 } } })
    await network.open()
    const connection = { localAddress: '::ffff:198.51.100.9' }
    for (let n = 0; n < requests; n++) network.reached(connection, isNew ? performance.now() : opening)
    await until(() => store.get('portTrial', key) === undefined)
    t.strictSame([addresses(), told()], [['198.51.100.9'], ['NetworkChangeKept']])
  })
}

t.test('settings that fail send an event, and are rolled back while on trial', async (t) => {
  const { store, port, network, addresses, told } = await opened(t)
  await store.commit({ portSettings: { [key]: setUp }, portTrial: { [key]: { before, seconds: 3600 } } })
  port.faults.failNext = 'EIO'
  await network.open()
  t.strictSame(addresses(), ['192.0.2.16'])
  t.strictSame(told(), ['NetworkChangeFailed', 'NetworkChangeTakenBack', 'ResourceChanged'])
})

t.test('a service that stops while a port is set up reports no failure', async (t) => {
  const { store, port, network, told } = await opened(t)
  await store.commit({ portSettings: { [key]: setUp } })
  port.faults.hang = true
  const opening = network.open()
  network.close()
  await port.close()
  await opening
  t.strictSame(told(), [])
})

t.test('a change whose turn comes after the service has stopped waits for nothing', async (t) => {
  const { network } = await opened(t)
  const timers = t.capture(globalThis, 'setTimeout', setTimeout)
  const begun = network.perform(perform)
  network.close()
  await begun
  await new Promise(setImmediate)
  t.same(timers(), [])
})

/** A port that other programs set up too, and whose settings are unknown until `tell`. */
async function openedShared(t: Test, isKnown: boolean) {
  const fixture = await opened(t)
  const { port } = fixture
  const original = { get: () => simState(), told: isKnown }
  const listeners = new Set<() => void>()
  const simState = Object.getOwnPropertyDescriptor(port, 'state')!.get!
  port.on(() => {
    for (const each of listeners) each()
  })
  Object.assign(port, { isShared: true, on: (listener: () => void) => listeners.add(listener) })
  Object.defineProperty(port, 'state', {
    get: () => {
      const { settings, ...state } = original.get()
      return original.told ? { ...state, settings } : state
    }
  })
  const tell = (isKnown: boolean) => {
    original.told = isKnown
    for (const each of listeners) each()
  }
  return { ...fixture, tell }
}

t.test('of a port that other programs set up too, nothing is kept of a change that is carried out', async (t) => {
  const { store, port, network, addresses, told, until } = await openedShared(t, true)
  await network.open()
  await port.configure(before, shared)
  await until(() => told().length === 1)
  t.strictSame(told(), ['ResourceChanged'], 'another program has changed it')
  await store.commit({ portSettings: { [key]: setUp }, portTrial: { [key]: { before, seconds: 0.1 } } })
  await network.perform(perform)
  await until(() => store.get('portSettings', key) === undefined)
  t.strictSame(addresses(), ['198.51.100.9'])
  await until(() => store.get('portTrial', key) === undefined)
  await until(() => store.get('portSettings', key) === undefined)
  t.strictSame(addresses(), ['192.0.2.16'])
})

t.test('a change that was on trial is rolled back by the next process, once the settings are known', async (t) => {
  const { store, port, network, addresses, told, until, tell } = await openedShared(t, false)
  await port.configure({ ...setUp, mtu: 1400 }, shared)
  await store.commit({ portTrial: { [key]: { before: { ipv4: before.ipv4 }, seconds: 0.1 } } })
  await network.open()
  t.strictSame(addresses(), ['198.51.100.9'])
  tell(true)
  await until(() => store.get('portTrial', key) === undefined)
  await until(() => store.get('portSettings', key) === undefined && addresses()[0] === '192.0.2.16')
  t.equal(port.state.settings?.mtu, 1400, 'only what the change replaced')
  t.ok(told().includes('NetworkChangeTakenBack'))
})

t.test('what cannot be carried out while the program is away is done when it is back', async (t) => {
  const { store, port, network, addresses, told, until, tell } = await openedShared(t, true)
  await network.open()
  port.faults.failNext = 'ENODEV'
  await store.commit({ portSettings: { [key]: setUp } })
  const configure = port.configure
  const failed = new Promise<void>((resolve) => {
    port.configure = (...change) => {
      port.configure = configure
      return configure(...change).finally(resolve)
    }
  })
  await network.perform(perform)
  await failed
  t.strictSame([addresses(), told()], [[], []])
  tell(false)
  await sleep(700) // longer than a change waits for its answer to leave
  t.strictSame([addresses(), told()], [[], []])
  tell(true)
  await until(() => store.get('portSettings', key) === undefined)
  t.strictSame(addresses(), ['198.51.100.9'])
})
