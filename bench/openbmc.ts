import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { EventSource } from '#test/host/event-source.ts'
import { hosts } from '#test/host/hosts.ts'
import { busy, resident } from '#test/host/process.ts'
import { directory, type Server, start } from '#test/host/server.ts'
import { ownBoard } from '#test/openbmc/board.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'
import { type Figure, median } from './figures.ts'
import { get, Load } from './load.ts'
import type { Measurement } from './measurement.ts'

const system = '/redfish/v1/Systems/system/'
const rack = '/redfish/v1/Chassis/Rack_Server/'
const led = '/xyz/openbmc_project/led/groups/enclosure_identify'

/** Sensors beside those of the simulated server: with them it has 460 objects, or 1,000 sensors. */
const fewer = 220
const many = 930

/** Minnow in front of simulated daemons of OpenBMC: it needs dbus-daemon, dbus-monitor, python3-dbus and python3-gi. */
export async function* openbmc(measurement: Measurement): AsyncGenerator<Figure> {
  for (const host of hosts.filter(({ name }) => name === 'Node.js' || name === 'x86-64')) {
    if (host.missing) continue
    const named = (what: string) => `openbmc: ${what}, ${host.name}`
    const bus = await TestBus.start(measurement)
    const daemons = await OpenbmcSimulator.start(measurement, bus, { sensors: fewer })
    const file = join(directory(measurement), 'board.json')
    writeFileSync(file, JSON.stringify(ownBoard(bus.socket)))
    const args = ['--board', file]
    let server = await start(measurement, host, { args })
    await server.get(system)
    const starts: number[] = []
    for (let round = 0; round < 9; round += 1) {
      const { data } = server
      await server.stop()
      const from = performance.now()
      server = await start(measurement, host, { args, data })
      await reached(server, system, ({ PowerState }) => PowerState === 'On')
      starts.push(performance.now() - from)
    }
    yield { name: named('first 200 after exec'), value: median(starts), unit: 'ms' }
    yield { name: named('memory'), value: resident(server.process.pid), unit: 'B' }

    const load = await Load.open(server, 1)
    await load.send(100, get(system))
    const calls = await countedCalls(bus, () => load.send(1000, get(system)))
    yield { name: named('calls on the bus by 1,000 repeated GETs'), value: calls, unit: 'requests' }
    const repeats = 20_000
    const spent = processesOf(bus, server)
    await load.send(repeats, get(system))
    const taken = processesOf(bus, server) - spent
    yield { name: named('processor time of a repeated GET of the system'), value: taken / repeats, unit: 'ms' }

    const { Members } = (await server.get(`${rack}Sensors/`)).json
    const uris: string[] = Members.slice(0, 200).map((each: { '@odata.id': string }) => each['@odata.id'])
    const began = performance.now()
    for (const uri of uris) await load.send(1, get(uri))
    yield { name: named('GET of 200 sensors over one connection'), value: performance.now() - began, unit: 'ms' }
    load.close()

    const events = await EventSource.open(measurement, server)
    const times: { readonly shown: number; readonly told: number }[] = []
    for (let round = 0; round < 20; round += 1) {
      const isLit = round % 2 === 0
      const told = nextChange(events)
      const changed = performance.now()
      await daemons.set(led, 'Led.Group', 'Asserted', isLit)
      await reached(server, rack, ({ LocationIndicatorActive }) => LocationIndicatorActive === isLit)
      const shown = performance.now() - changed
      times.push({ shown, told: (await told) - changed })
    }
    yield { name: named('a change on the bus to a GET'), value: median(times.map(({ shown }) => shown)), unit: 'ms' }
    yield { name: named('a change on the bus to an event'), value: median(times.map(({ told }) => told)), unit: 'ms' }

    const sensor = `${rack}Sensors/temperature_CPU0/`
    const isRead = (reading: unknown) => reading !== null
    const killed = performance.now()
    await daemons.kill('IntelCPUSensor')
    await reached(server, sensor, ({ Reading }) => !isRead(Reading))
    yield { name: named('a daemon is killed: unavailable'), value: performance.now() - killed, unit: 'ms' }
    const started = performance.now()
    await daemons.start('IntelCPUSensor')
    await reached(server, sensor, ({ Reading }) => isRead(Reading))
    yield { name: named('a daemon is killed: back'), value: performance.now() - started, unit: 'ms' }
    await bus.stop()
    await reached(server, sensor, ({ Reading }) => !isRead(Reading))
    await bus.start()
    const restarted = performance.now()
    await reached(server, sensor, ({ Reading }) => isRead(Reading))
    yield { name: named('the bus is restarted: back'), value: performance.now() - restarted, unit: 'ms' }
    await server.stop()
    yield* loaded(measurement, host, named('memory with 1,000 sensors that change each second'))
  }
}

async function* loaded(measurement: Measurement, host: (typeof hosts)[number], name: string): AsyncGenerator<Figure> {
  const bus = await TestBus.start(measurement)
  await OpenbmcSimulator.start(measurement, bus, { sensors: many, move: 1 })
  const file = join(directory(measurement), 'board.json')
  writeFileSync(file, JSON.stringify(ownBoard(bus.socket)))
  const server = await start(measurement, host, { args: ['--board', file] })
  const until = performance.now() + 60_000
  while (performance.now() < until) {
    await server.get(`${rack}Sensors/temperature_CPU0/`)
    await new Promise((next) => setTimeout(next, 1000))
  }
  yield { name, value: resident(server.process.pid), unit: 'B' }
  await server.stop()
}

// biome-ignore lint/suspicious/noExplicitAny: measurements reach into what a client would parse
type Body = any

/** Asks again until an answer is as expected. */
async function reached(server: Server, uri: string, isIt: (body: Body) => boolean): Promise<void> {
  while (true) {
    const { status, json } = await server.get(uri)
    if (status >= 500) throw new Error(`${uri}: ${status}`)
    if (status === 200 && isIt(json)) return
  }
}

/** When the next event of the lamp arrives: each chassis that shows it has one. */
async function nextChange(events: EventSource): Promise<number> {
  for (;;) {
    const { MessageId = '', OriginOfCondition } = (await events.next())?.data.Events[0] ?? {}
    if (/IndicatorChanged$/.test(MessageId) && OriginOfCondition['@odata.id'] === rack) return performance.now()
  }
}

/** How many methods are called on the bus while something is done. */
async function countedCalls(bus: TestBus, act: () => Promise<void>): Promise<number> {
  const monitor = spawn('dbus-monitor', ['--address', bus.address, "type='method_call'"], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  let calls = 0
  let isCounting = false
  monitor.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (isCounting) calls += text.match(/^method call /gm)?.length ?? 0
  })
  await once(monitor.stdout, 'data')
  isCounting = true
  await act()
  monitor.kill()
  await once(monitor, 'exit')
  return calls
}

/** The processor's time, in milliseconds, of the service, the bus and the daemons. */
function processesOf(bus: TestBus, server: Server): number {
  const folder = dirname(bus.socket)
  const onBus = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => commandOf(pid).includes(folder))
  return [server.process.pid, ...onBus].reduce((sum, pid) => sum + busy(pid), 0)
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch (error) {
    // It has ended meanwhile.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return ''
    throw error
  }
}
