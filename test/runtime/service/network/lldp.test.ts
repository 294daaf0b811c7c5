// Each noun declares its tables when it is loaded, which the handlers of the product see to.
import '#generated'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import { HalError } from '#hal/errors.ts'
import { lldpFrame, readLldpFrame } from '#hal/lldp/frame.ts'
import type { Port, PortState } from '#hal/ports.ts'
import { simPort } from '#hal/sim/ports.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import type { Reader } from '#runtime/contract'
import { Lldp } from '#runtime/service/network/lldp.ts'
import { Store } from '#runtime/store/store.ts'

/** A port whose cable a test holds in its hand. */
async function open(t: Test, enabled: boolean, fails = false) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  const changes = new Listeners<PortState>()
  const wire = { sent: [] as { ttl: number | undefined; name: string | undefined }[], isOpen: false }
  const faults = { send: false }
  let receive = (_: Uint8Array) => {}
  const port = {
    state: simPort().state,
    on: (listener: (state: PortState) => void) => changes.add(listener),
    openLldp(received: (frame: Uint8Array) => void) {
      if (fails) throw new HalError('EACCES', 'eth0: open: not permitted')
      receive = received
      wire.isOpen = true
      return {
        send(frame: Uint8Array) {
          if (faults.send) throw new HalError('EIO', 'eth0: send: it fails')
          const { ttl, systemName } = readLldpFrame(frame) ?? {}
          wire.sent.push({ ttl, name: systemName })
        },
        close() {
          wire.isOpen = false
        }
      }
    }
  }
  await store.commit({ lldp: { '1/1': { enabled } } })
  const lldp = new Lldp(store, sim as unknown as Board, new Map([['1/1', port as unknown as Port]]))
  t.teardown(() => lldp.close())
  const tracked: string[] = []
  const reader = { track: (path: string) => tracked.push(path), depends: () => {} } as unknown as Reader
  return {
    ...{ store, lldp, wire, port, tracked, faults },
    set: (enabled: boolean) => store.commit({ lldp: { '1/1': { enabled } } }),
    hear: (ttl: number, value = 'a') =>
      receive(
        lldpFrame('02:00:00:00:00:02', {
          ...{ chassisId: { kind: 'local', value }, portId: { kind: 'local', value: '1' }, ttl },
          managementAddresses: []
        })
      ),
    hearNoise: () => receive(Uint8Array.of(1, 2, 3)),
    heard: (id = '1') => lldp.members(reader).lldpNeighbour('1', id)?.chassisId.value,
    change(state: PortState) {
      port.state = state
      changes.emit(state)
    }
  }
}

const name = 'mc-sim2510a7k.example.net'

t.test('a port is silent until it is enabled, and says good-bye when it is disabled', async (t) => {
  const { wire, set } = await open(t, false)
  t.same(wire, { sent: [], isOpen: false })
  await set(true)
  t.same(wire, { sent: [{ ttl: 120, name }], isOpen: true })
  await set(true)
  t.equal(wire.sent.length, 1)
  await set(false)
  t.same(wire, {
    sent: [
      { ttl: 120, name },
      { ttl: 0, name }
    ],
    isOpen: false
  })
})

t.test('an enabled port speaks from the start, until the service ends', async (t) => {
  const { lldp, wire, set } = await open(t, true)
  t.same(wire, { sent: [{ ttl: 120, name }], isOpen: true })
  lldp.close()
  t.same(wire.sent.at(-1), { ttl: 0, name })
  await set(false)
  await set(true)
  t.equal(wire.isOpen, false, 'settings that change later start nothing')
})

t.test('an enabled port speaks again every 30 seconds until it is disabled', async (t) => {
  const intervals = new Map<object, [() => void, number]>()
  t.capture(globalThis, 'setInterval', ((run: () => void, time: number) => {
    const interval = { unref() {} }
    intervals.set(interval, [run, time])
    return interval
  }) as unknown as typeof setInterval)
  t.capture(globalThis, 'clearInterval', ((interval: object) => void intervals.delete(interval)) as never)
  const { wire, set } = await open(t, false)
  const others = new Set(intervals.keys())
  await set(true)
  const [[, [run, time]] = [{}, [() => {}, 0]]] = [...intervals].filter(([each]) => !others.has(each))
  run()
  t.same(wire.sent, [
    { ttl: 120, name },
    { ttl: 120, name }
  ])
  t.equal(time, 30_000)
  await set(false)
  t.equal(intervals.size, others.size)
})

t.test('a port without a cable sends nothing, and speaks as soon as it has one', async (t) => {
  const { wire, port, set, change } = await open(t, true)
  await set(false)
  const sent = wire.sent.length
  change({ ...port.state, linkUp: false })
  await set(true)
  t.equal(wire.isOpen, true, 'it listens')
  change({ ...port.state, ipv4: [{ address: '192.0.2.9', subnetMask: '255.255.255.0' }] })
  t.equal(wire.sent.length, sent)
  change({ ...port.state, ipv4: [], linkUp: true })
  t.same(wire.sent.slice(sent), [{ ttl: 120, name }])
})

t.test('a port whose cable is plugged again speaks at once', async (t) => {
  const { wire, port, change } = await open(t, true)
  const { state } = port
  change({ ...state, linkUp: false })
  change(state)
  t.same(wire.sent, [
    { ttl: 120, name },
    { ttl: 120, name }
  ])
})

t.test('a frame that cannot be sent, or is damaged, costs a line of the log', async (t) => {
  const { store, wire, faults, set, hearNoise } = await open(t, false)
  const lines: unknown[] = []
  for (const level of ['warning', 'debug'] as const) {
    t.capture(store.log, level, (...line: unknown[]) => void lines.push([level, ...line]))
  }
  faults.send = true
  await set(true)
  hearNoise()
  t.same(lines, [
    ['warning', 'LLDP was not sent', { port: '1/1', cause: 'eth0: send: it fails' }],
    ['debug', 'a frame of LLDP was discarded', { port: '1/1' }]
  ])
  faults.send = false
  await set(false)
  t.same(wire.sent, [{ ttl: 0, name }])
})

t.test('a neighbour is known until it leaves, the cable is out, or LLDP is disabled', async (t) => {
  const { store, port, tracked, hear, hearNoise, heard, change, set } = await open(t, true)
  const moves: string[] = []
  store.revisions.onMoved((path) => {
    if (path.startsWith('lldpNeighbour/')) moves.push(path)
  })
  hearNoise()
  t.equal(heard(), undefined)
  t.equal(heard('2'), undefined, 'there is no such port')
  t.same(tracked, ['lldpNeighbour/1/1'], 'an answer that shows it is made anew when it changes')
  hear(120)
  hear(120)
  t.equal(heard(), 'a')
  hear(120, 'b')
  t.equal(heard(), 'b')
  hear(0, 'b')
  t.equal(heard(), undefined)
  hear(120)
  change({ ...port.state, linkUp: false })
  t.equal(heard(), undefined)
  change({ ...port.state, linkUp: true })
  hear(120)
  await set(false)
  t.equal(heard(), undefined)
  t.same(moves, Array(7).fill('lldpNeighbour/1/1'), 'answers depend on the neighbour, not on its frames')
})

t.test('an LLDP neighbour expires after its time to live', async (t) => {
  const { hear, heard, store } = await open(t, true)
  hear(120)
  hear(1)
  t.equal(heard(), 'a')
  await new Promise<void>((resolve) => {
    const awake = setTimeout(() => {}, 10_000)
    store.revisions.onMoved((path) => {
      if (path !== 'lldpNeighbour/1/1') return
      clearTimeout(awake)
      resolve()
    })
  })
  t.equal(heard(), undefined)
})

t.test('a neighbour that speaks again is known for its new time to live', async (t) => {
  const { hear } = await open(t, true)
  const planned = new Map<NodeJS.Timeout, number>()
  const { setTimeout } = globalThis
  t.capture(globalThis, 'setTimeout', ((run: () => void, time = 0) => {
    const timer = setTimeout(run, time)
    if (time === 120_000 || time === 60_000) planned.set(timer, time)
    return timer
  }) as typeof setTimeout)
  const cleared = t.capture(globalThis, 'clearTimeout', clearTimeout)
  hear(120)
  hear(60)
  t.same([...planned.values()], [120_000, 60_000])
  const [first] = planned.keys()
  t.ok(cleared().some(({ args: [timer] }) => timer === first))
  for (const timer of planned.keys()) t.equal(timer.hasRef(), false, 'it keeps no process alive')
})

t.test("a change of the port's values is sent at once", async (t) => {
  const { port, wire, change } = await open(t, true)
  change({ ...port.state })
  t.equal(wire.sent.length, 1)
  change({ ...port.state, ipv4: [{ address: '192.0.2.9', subnetMask: '255.255.255.0' }] })
  t.equal(wire.sent.length, 2)
})

t.test('a port that the operating system does not give away costs a line of the log', async (t) => {
  const { store, heard, set } = await open(t, false, true)
  const lines = t.capture(store.log, 'error', () => {})
  await set(true)
  t.match(lines()[0]?.args, ['LLDP was not started', { port: '1/1', cause: /not permitted/ }])
  t.equal(heard(), undefined)
})

t.test('the switch of a simulated port answers', async (t) => {
  const port = simPort({ neighbour: { mac: '02:00:00:00:00:02', port: 'ge-0/0/1', name: 'leaf' } })
  const names: (string | undefined)[] = []
  const link = port.openLldp?.((frame) => names.push(readLldpFrame(frame)?.systemName))
  link?.send(new Uint8Array())
  await null
  port.plug(false)
  link?.send(new Uint8Array())
  await null
  port.plug(true)
  link?.close()
  link?.send(new Uint8Array())
  await null
  t.same(names, ['leaf'])
})
