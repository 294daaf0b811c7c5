import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { type Host, hosts } from '#test/host/hosts.ts'
import { busy, Process, resident } from '#test/host/process.ts'
import { admin, directory, password, start } from '#test/host/server.ts'
import { type Figure, median } from './figures.ts'
import type { Measurement } from './measurement.ts'
import { listen, type Subscriber } from './subscribers.ts'

/**
 * Controllers: a fleet that is measured all through, in the tests as well, and one of which all are switched off and
 * on.
 */
export const small = 1000
const large = 20_000
const counts = process.env.CI === undefined ? [small, large] : [small]

/** As many as a management system has. */
const clients = 64

/** Seconds that a connection may be idle, which its client ends: on a slow machine all of them are for a while. */
const keepAlive = 300

/** Events that each controller sends. */
const eventsEach = 10

/** Requests to one controller, in turn, and how often that is measured. */
const requests = 400
const rounds = 5

const paths = ['/redfish/v1/', '/redfish/v1/Systems/1/', '/redfish/v1/Chassis/1/', '/redfish/v1/Managers/1/']

export async function* fleet(measurement: Measurement): AsyncGenerator<Figure> {
  for (const host of hosts.filter(({ name }) => name !== 'ARMv7')) {
    if (host.missing) continue
    for (const count of counts) yield* fleetOf(count, host, measurement)
  }
}

/**
 * A fleet as a whole; a small one's crawls and events as well, and one of its controllers beside a process of its own.
 */
export async function* fleetOf(count: number, host: Host, measurement: Measurement): AsyncGenerator<Figure> {
  const named = (what: string) => `fleet of ${count}: ${what}, ${host.name}`
  const data = directory(measurement)
  const from = performance.now()
  const file = join(data, 'fleet.json')
  const configuration = { limits: { keepAlive: 2 * keepAlive } }
  // A listener for each address is a descriptor for each.
  const place = { network: '127.24.0.0/14', port: 0, ...(count > small && { address: '0.0.0.0' }) }
  writeFileSync(file, JSON.stringify({ data, configuration, groups: [{ count, ...place }] }))
  const process = new Process(roomy(host), ['fleet', file], { MINNOW_ADMIN_PASSWORD: password })
  measurement.teardown(() => process.kill('SIGKILL'))
  await process.ready()
  yield { name: named('exec to listening'), value: performance.now() - from, unit: 'ms' }
  yield { name: named('memory, listening'), value: resident(process.pid), unit: 'B' }

  const members: { url: string }[] = JSON.parse(readFileSync(join(data, 'inventory.json'), 'utf8'))
  const origins = members.map(({ url }) => new URL(url).origin)
  if (count === small) {
    yield* crawls(origins, named, () => resident(process.pid))
    yield {
      name: named('time of a GET, to that of a process of its own'),
      value: await ratio(origins[0]!, host, measurement),
      unit: 'ratio'
    }
  }

  const cycled = await cycle(origins)
  yield { name: named('errors of power cycles'), value: cycled.errors, unit: 'events' }
  yield { name: named('power cycles'), value: cycled.rate, unit: 'events/s' }
  yield { name: named('memory after power cycles'), value: resident(process.pid), unit: 'B' }
  if (count > small) return void (await process.kill('SIGTERM'))

  const [listener] = await listen(measurement, 1)
  const told = await tell(origins, listener!, process.pid)
  yield { name: named('events to one listener that were lost'), value: told.lost, unit: 'events' }
  yield { name: named('first events to one listener, over new connections'), value: told.first, unit: 'events/s' }
  yield { name: named('events to one listener'), value: told.rate, unit: 'events/s' }
  yield { name: named("processor's time of an event"), value: told.busy, unit: 'ms' }
  await process.kill('SIGTERM')
}

/** Node.js with the memory for a thousand simultaneous requests, as in docs/fleet.md. */
const roomy = (host: Host): Host => {
  const [program, ...first] = host.command
  return host.name === 'Node.js' ? { ...host, command: [program, '--max-semi-space-size=64', ...first] } : host
}

/** The time of a GET of one of them, to that of a GET of a process of its own. */
async function ratio(origin: string, host: Host, measurement: Measurement): Promise<number> {
  const alone = await start(measurement, host)
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const own = await take(`https://127.0.0.1:${alone.port}`)
    ratios.push((await take(origin)) / own)
  }
  await alone.stop()
  return median(ratios)
}

/**
 * Crawls of all of them: the one that opens them, over the same connections, over new ones. @param memory of the fleet
 */
async function* crawls(
  origins: readonly string[],
  named: (what: string) => string,
  memory: () => number
): AsyncGenerator<Figure> {
  const pools = poolsOf(origins)
  yield { name: named('p99 of a crawl that opens them'), value: await crawl(pools), unit: 'ms' }
  yield { name: named('memory with all of them open'), value: memory(), unit: 'B' }
  yield { name: named('p99 of a crawl over the same connections'), value: await crawl(pools), unit: 'ms' }
  await close(pools)
  const anew = poolsOf(origins)
  yield { name: named('p99 of a crawl over new connections'), value: await crawl(anew), unit: 'ms' }
  await close(anew)
}

const poolsOf = (origins: readonly string[]) => new Map(origins.map((origin) => [origin, connect(origin)]))

const close = (pools: ReadonlyMap<string, Pool>) => Promise.all([...pools.values()].map((pool) => pool.close()))

/** A client of one controller, with one connection. */
const connect = (origin: string) =>
  new Pool(origin, {
    connect: { rejectUnauthorized: false, timeout: 60_000 },
    keepAliveTimeout: keepAlive * 1000,
    keepAliveMaxTimeout: keepAlive * 1000,
    connections: 1
  })

/** Asks all of them by many clients at once. @returns the 99th percentile of the time of a request, in milliseconds */
async function crawl(pools: ReadonlyMap<string, Pool>): Promise<number> {
  const times: number[] = []
  await byClients([...pools], async ([origin, pool]) => {
    for (const path of paths) {
      const from = performance.now()
      const { statusCode, body } = await pool.request({ path, method: 'GET', headers: admin })
      await body.dump()
      if (statusCode !== 200) throw new Error(`${origin}${path}: ${statusCode}`)
      times.push(performance.now() - from)
    }
  })
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
}

/** Has many clients at once take work from a list. */
async function byClients<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const client = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: clients }, client))
}

/** Has many clients at once work with a controller each, over a connection of its own. */
function byClientsOf(origins: readonly string[], work: (pool: Pool, origin: string) => Promise<void>): Promise<void> {
  return byClients(origins, async (origin) => {
    const pool = connect(origin)
    await work(pool, origin)
    await pool.close()
  })
}

/** The body of the answer. @throws Error for one of another status */
async function send(pool: Pool, path: string, body?: object, wanted = 200): Promise<string> {
  const headers = { ...admin, 'content-type': 'application/json' }
  const method = body === undefined ? 'GET' : 'POST'
  const answer = await pool.request({ path, method, headers, body: body ? JSON.stringify(body) : null })
  const text = await answer.body.text()
  if (answer.statusCode !== wanted) throw new Error(`${path}: status ${answer.statusCode} ${text}`)
  return text
}

/** Switches each off and on. @returns how many a second, and how many failed */
async function cycle(origins: readonly string[]): Promise<{ rate: number; errors: number }> {
  const system = '/redfish/v1/Systems/1/'
  let errors = 0
  const from = performance.now()
  await byClientsOf(origins, async (pool, origin) => {
    try {
      for (const [ResetType, state] of [
        ['ForceOff', 'Off'],
        ['On', 'On']
      ]) {
        await send(pool, `${system}Actions/ComputerSystem.Reset/`, { ResetType })
        while (JSON.parse(await send(pool, system)).PowerState !== state) await pause(250)
      }
    } catch (error) {
      errors += 1
      console.log(`${origin}: ${(error as Error).message}`)
    }
  })
  return { rate: (1000 * origins.length) / (performance.now() - from), errors }
}

/**
 * Lets all of them send events to one listener at once: one each, for which they connect, and then more.
 *
 * @returns events per second, of the first ones and of the others, how many were lost, and the processor time of the
 *   fleet for one of the others, in milliseconds
 */
async function tell(origins: readonly string[], { came, destination }: Subscriber, pid: number) {
  const service = '/redfish/v1/EventService/'
  // As a listener that expects bursts asks for it: with the shortest queue, events that do not fit are dropped at once.
  const Vendor = { RequestedMaxEventsToQueue: 100 }
  const wanted = { Destination: destination, Protocol: 'Redfish', RegistryPrefixes: ['ResourceEvent'], Oem: { Vendor } }
  const pools = poolsOf(origins)
  await byClients([...pools.values()], async (pool) => {
    await send(pool, `${service}Subscriptions/`, wanted, 201)
  })
  const submit = async (origin: string, pool: Pool, EventId: string) => {
    const event = { EventId: `${origin}/${EventId}`, MessageId: 'ResourceEvent.1.3.ResourceChanged', Severity: 'OK' }
    await send(pool, `${service}Actions/EventService.SubmitTestEvent/`, event)
    return event.EventId
  }
  const measured = async (count: number, kind: string) => {
    const from = performance.now()
    const submitAll = async ([origin, pool]: [string, Pool]) => {
      const ids: string[] = []
      for (let index = 0; index < count; index++) ids.push(await submit(origin, pool, `${kind}/${index}`))
      return ids
    }
    const ids = (await Promise.all([...pools].map(submitAll))).flat()
    const left = () => ids.filter((id) => !came.has(id)).length
    for (let tries = 0; tries < 1200 && left() > 0; tries++) await pause(100)
    const last = Math.max(...ids.map((id) => came.get(id) ?? 0))
    return { lost: left(), rate: (1000 * (ids.length - left())) / (last - from) }
  }
  const first = await measured(1, 'first')
  const before = busy(pid)
  const rest = await measured(eventsEach, 'more')
  const taken = (busy(pid) - before) / (eventsEach * origins.length)
  await close(pools)
  return { lost: first.lost + rest.lost, first: first.rate, rate: rest.rate, busy: taken }
}

/** The time of some requests one after another, in milliseconds. */
async function take(origin: string): Promise<number> {
  const pool = connect(origin)
  const get = async () =>
    (await pool.request({ path: '/redfish/v1/Chassis/1/', method: 'GET', headers: admin })).body.dump()
  for (let n = 0; n < 20; n++) await get()
  const from = performance.now()
  for (let n = 0; n < requests; n++) await get()
  const taken = performance.now() - from
  await pool.close()
  return taken
}
