// Each noun declares its tables when it is loaded, which the handlers of the product see to.
import '#generated'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import type { Port } from '#hal/ports.ts'
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

/** The time that the answer to a request has to leave, in milliseconds: it passes at once. */
const farewell = 500

async function opened(t: Test, others: ReadonlyMap<string, Port> = new Map()) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  const port = simPort()
  const events = new Events(store, board, configuration, Date.now)
  const network = new Network({ store, board, ports: new Map<string, Port>([[key, port], ...others]), events })
  const { setTimeout } = globalThis
  const hurried = (run: () => void, time = 0) => setTimeout(run, time === farewell ? 1 : time)
  t.capture(globalThis, 'setTimeout', hurried as typeof setTimeout)
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
  const { store, port, network, addresses, told } = await opened(t)
  const configured = t.capture(port, 'configure', port.configure)
  await store.commit({ portSettings: { [key]: setUp } })
  await network.open()
  t.strictSame(addresses(), ['198.51.100.9'])
  port.plug(false)
  await sleep(50)
  t.equal(configured().length, 1)
  t.strictSame(told(), [], 'no other program has changed it')
})

t.test(
  'a port without settings of its own is set up at the start for the names and the clock of its manager',
  async (t) => {
    for (const [writes, expected] of [
      [{}, []],
      [{ hostNames: { 1: { hostName: 'rack7', domain: '' } } }, [{ hostName: 'rack7', domain: '', ntp: true }]],
      [
        { clock: { 1: { ntp: false, timeServers: ['ntp.example.net'] } } },
        [{ ntp: false, timeServers: ['ntp.example.net'] }]
      ]
    ] as const) {
      await t.test(Object.keys(writes).join() || 'neither', async (t) => {
        const { store, port, network } = await opened(t)
        const configured = t.capture(port, 'configure', port.configure)
        await store.commit(writes)
        await network.open()
        const given = configured().map(({ args: [, shared] }) => shared)
        t.equal(given.length, expected.length)
        t.match(given, expected)
      })
    }
  }
)

t.test(
  'a change of one interface is carried out there, and one without an interface at all ports of its manager',
  async (t) => {
    const [strange, second] = [simPort(), simPort()]
    const others = new Map([
      ['2/1', strange],
      ['1/2', second]
    ])
    const { store, port, network, addresses, told } = await opened(t, others)
    await store.commit({ portSettings: { [key]: setUp, '1/2': setUp, '2/1': setUp } })
    let changed = change(second)
    await network.perform({ ...perform, ethernetInterface: '2' })
    await changed
    t.strictSame(addresses(), [])
    changed = Promise.all([change(port), change(second)]).then(() => undefined)
    await network.perform({ kind: 'configurePorts', manager: '1' })
    await changed
    t.strictSame(addresses(), ['198.51.100.9'])
    t.strictSame([strange.state.ipv4, told()], [[], []])
  }
)

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
  await sleep(50)
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
    const configured = t.capture(port, 'configure', port.configure)
    Object.assign(port, { needsAddresses: true })
    await store.commit({ clock: { 1: { timeServers } } })
    const { setTimeout } = globalThis
    const planned: [() => void, number, NodeJS.Timeout][] = []
    const cleared = t.capture(globalThis, 'clearTimeout', clearTimeout)
    t.capture(globalThis, 'setTimeout', ((run: () => void, time = 0) => {
      const timer = setTimeout(run, time)
      if (time >= 60_000) planned.push([run, time, timer])
      return timer
    }) as typeof setTimeout)
    const times = async (count: number) => {
      while (planned.length < count) await new Promise(setImmediate)
      await new Promise(setImmediate)
      return planned.map(([, time]) => time)
    }
    await network.open()
    t.strictSame(await times(1), [wait])
    const before = configured().length
    planned[0]?.[0]()
    t.strictSame(await times(2), [wait, wait])
    t.ok(
      cleared().some(({ args: [timer] }) => timer === planned[0]?.[2]),
      'one look-up waits at a time'
    )
    t.equal(before, 2, 'without the addresses at first')
    t.equal(configured().length, 0, 'they are the same as before')
  })
}

t.test('servers that a change names are looked up at once', async (t) => {
  const { store, port, network } = await opened(t)
  const servers: (readonly string[])[] = []
  let enough = () => {}
  const both = new Promise<void>((resolve) => {
    enough = resolve
  })
  Object.assign(port, {
    needsAddresses: true,
    configure: async (_: unknown, { timeServers }: { timeServers: readonly string[] }) => {
      servers.push(timeServers)
      if (timeServers.length > 0) enough()
    }
  })
  await network.open()
  await store.commit({ clock: { 1: { timeServers: ['localhost'] } } })
  await network.perform(perform)
  await both
  t.strictSame(servers[0], [])
  t.match(servers.at(-1)?.[0], /^(127\.0\.0\.1|::1)$/)
})

t.test('a change on trial is rolled back when no client uses the new address', async (t) => {
  const { store, network, addresses, told, until } = await opened(t)
  const opening = performance.now()
  await store.commit({ portSettings: { [key]: setUp }, portTrial: { [key]: { before, seconds: 0.1 } } })
  await network.open()
  t.strictSame(addresses(), ['198.51.100.9'])
  for (const nowhere of [undefined, {}]) t.equal(network.reached(nowhere, performance.now()), false, 'it has gone')
  t.equal(network.reached({ localAddress: '192.0.2.16' }, performance.now()), true, 'elsewhere')
  t.equal(network.reached({ localAddress: '198.51.100.9' }, opening), true, 'may have been on its way before')
  await until(() => addresses()[0] === '192.0.2.16' || store.get('portTrial', key) === undefined)
  await until(() => told().length === 2)
  t.strictSame(store.get('portSettings', key), before)
  t.strictSame(told(), ['NetworkChangeTakenBack', 'ResourceChanged'])
  t.equal(network.reached({ localAddress: '192.0.2.16' }, performance.now()), false, 'nothing is on trial any more')
})

for (const [who, requests, isNew, localAddress] of [
  ['a client comes to the new address', 1, true, '::ffff:198.51.100.9'],
  ['a client comes to the new address over IPv6', 1, true, '2001:db8::9'],
  ['many come', 3, true, '198.51.100.9'],
  ['a client who is connected to it asks, and asks again after the answer', 2, false, '198.51.100.9']
] as const) {
  t.test(`it stays when ${who}`, async (t) => {
    const { store, network, addresses, told, until } = await opened(t)
    const opening = performance.now()
    const settings = { ...setUp, ipv6: [{ address: '2001:db8::9', prefixLength: 64 }] }
    await store.commit({ portSettings: { [key]: settings }, portTrial: { [key]: { before, seconds: 3600 } } })
    await network.open()
    const connection = { localAddress }
    for (let n = 0; n < requests; n++) network.reached(connection, isNew ? performance.now() : opening)
    await until(() => store.get('portTrial', key) === undefined)
    await store.commit({})
    t.strictSame([addresses(), told()], [['198.51.100.9'], ['NetworkChangeKept']])
  })
}

t.test('a new change ends the trial of the one before, and is tried itself', async (t) => {
  const { store, port, network, told, until } = await opened(t)
  await store.commit({ portSettings: { [key]: setUp }, portTrial: { [key]: { before, seconds: 3600 } } })
  await network.open()
  const changed = change(port)
  const come = () => network.reached({ localAddress: '198.51.100.9' }, performance.now())
  await network.perform(perform)
  t.equal(come(), true, 'it is about to be on trial')
  await changed
  // The commit of the port's change is before the second one.
  for (let n = 0; n < 2; n++) await store.commit({})
  t.ok(store.get('portTrial', key))
  t.strictSame(told(), [])
  come()
  await until(() => store.get('portTrial', key) === undefined)
  t.strictSame(told(), ['NetworkChangeKept'])
})

t.test('a service that has stopped rolls nothing back', async (t) => {
  const { store, network, told } = await opened(t)
  await store.commit({ portSettings: { [key]: setUp }, portTrial: { [key]: { before, seconds: 0.01 } } })
  await network.open()
  network.close()
  await sleep(50)
  t.ok(store.get('portTrial', key))
  t.strictSame(told(), [])
})

t.test(
  'a change that a client keeps while the disk refuses it costs a line of the log, and stays on trial',
  async (t) => {
    const { store, network } = await opened(t)
    await store.commit({ portSettings: { [key]: setUp }, portTrial: { [key]: { before, seconds: 3600 } } })
    await network.open()
    t.capture(store, 'commit', async () => {
      throw new Error('no space')
    })
    const lines = t.capture(store.log, 'error', () => {})
    network.reached({ localAddress: '198.51.100.9' }, performance.now())
    await new Promise(setImmediate)
    t.strictSame(
      lines().map(({ args }) => args),
      [['a network change was not stored', { cause: 'no space' }]]
    )
    t.ok(store.get('portTrial', key))
  }
)

for (const code of ['EIO', 'ENODEV'] as const) {
  t.test(`settings that fail with ${code} send an event, and are rolled back while on trial`, async (t) => {
    const { store, port, network, addresses, told } = await opened(t)
    const lines: unknown[] = []
    for (const level of ['error', 'warning'] as const) {
      t.capture(store.log, level, (...line: unknown[]) => void lines.push([level, ...line]))
    }
    await store.commit({ portSettings: { [key]: setUp }, portTrial: { [key]: { before, seconds: 3600 } } })
    port.faults.failNext = code
    await network.open()
    const cause = 'port: configure: fault injected'
    t.strictSame(addresses(), ['192.0.2.16'])
    t.strictSame(told(), ['NetworkChangeFailed', 'NetworkChangeTakenBack', 'ResourceChanged'])
    const events = store.keys('event').map((each) => store.get('event', each))
    const uri = '/redfish/v1/Managers/1/EthernetInterfaces/1'
    t.strictSame(
      events.map((each) => [each?.origin, each?.args]),
      [
        [uri, [cause]],
        [uri, ['3600']],
        [uri, []]
      ]
    )
    t.strictSame(lines, [
      ['error', 'a network interface was not set up', { key, cause }],
      ['warning', 'a change of a network interface is rolled back', { key }]
    ])
  })
}

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

t.test('time servers that are given by their addresses are not looked up again', async (t) => {
  const { store, port, network } = await opened(t)
  Object.assign(port, { needsAddresses: true })
  await store.commit({ clock: { 1: { timeServers: ['192.0.2.7'] } } })
  const timers = t.capture(globalThis, 'setTimeout', setTimeout)
  await network.open()
  t.strictSame(
    timers().filter(({ args: [, time = 0] }) => time >= 60_000),
    []
  )
})

t.test('a service that stops waits neither for an answer to leave, nor for the next look-up', async (t) => {
  const { store, port, network } = await opened(t)
  Object.assign(port, { needsAddresses: true })
  await store.commit({ clock: { 1: { timeServers: ['localhost'] } } })
  const { setTimeout, clearTimeout } = globalThis
  const waiting = new Map<NodeJS.Timeout, number>()
  t.capture(globalThis, 'setTimeout', ((run: () => void, time = 0) => {
    const timer = setTimeout(run, Math.max(time, 60_000))
    waiting.set(timer, time)
    return timer
  }) as typeof setTimeout)
  t.capture(globalThis, 'clearTimeout', ((timer: NodeJS.Timeout) => {
    waiting.delete(timer)
    clearTimeout(timer)
  }) as typeof clearTimeout)
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise(setImmediate)
  }
  const count = (wanted: number) => [...waiting.values()].filter((time) => time === wanted).length
  await network.open()
  await until(() => count(3_600_000) === 1)
  const [next] = [...waiting].find(([, time]) => time === 3_600_000) ?? []
  t.equal(next?.hasRef(), false, 'it keeps no process alive')
  await network.perform(perform)
  await until(() => count(farewell) === 1)
  network.close()
  for (const time of [3_600_000, farewell]) t.notOk([...waiting.values()].includes(time), `${time} ms`)
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
  await sleep(50)
  t.strictSame([addresses(), told()], [[], []])
  tell(true)
  await until(() => store.get('portSettings', key) === undefined)
  t.strictSame(addresses(), ['198.51.100.9'])
})

t.test('a change that the program refuses is an event, and is not kept', async (t) => {
  const { store, port, network, addresses, told, until } = await openedShared(t, true)
  await network.open()
  port.faults.failNext = 'EIO'
  await store.commit({ portSettings: { [key]: setUp } })
  await network.perform(perform)
  await until(() => store.get('portSettings', key) === undefined)
  t.strictSame([addresses(), told()], [[], ['NetworkChangeFailed']])
})
