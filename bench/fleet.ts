import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { type Host, hosts } from '#test/host/hosts.ts'
import { busy, childrenOf, Process, resident } from '#test/host/process.ts'
import { admin, directory, password, start } from '#test/host/server.ts'
import { type Figure, median, sum } from './figures.ts'
import type { Measurement } from './measurement.ts'
import { listen, type Subscriber } from './subscribers.ts'

/**
 * Controllers: a fleet that is measured all through, in the tests as well, and one of which all are switched off and
 * on.
 */
export const small = 1000
const large = 20_000
const counts = process.env.CI === undefined ? [small, large] : [small]

/** Processes of the small fleet that is measured once more. */
const manyWorkers = 2

/** As many as a management system has. */
const clients = 64

/** Seconds that a connection may be idle, which its client ends: on a slow machine all of them are for a while. */
const keepAlive = 300

/** Events that each controller sends, of each kind. */
const eventsEach = 10

/** Requests to one controller, in turn, and how often that is measured. */
const requests = 400
const rounds = 5

const paths = ['/redfish/v1/', '/redfish/v1/Systems/1/', '/redfish/v1/Chassis/1/', '/redfish/v1/Managers/1/']

export async function* fleet(measurement: Measurement): AsyncGenerator<Figure> {
  for (const host of hosts.filter(({ name }) => name !== 'ARMv7')) {
    if (host.missing) continue
    for (const count of counts) yield* fleetOf(count, host, measurement)
    yield* fleetOf(small, host, measurement, manyWorkers)
  }
}

/**
 * A fleet as a whole; a small one's crawls and events as well, and one of its controllers beside a process of its own.
 */
export async function* fleetOf(
  count: number,
  host: Host,
  measurement: Measurement,
  workers = 1
): AsyncGenerator<Figure> {
  const fleet = workers === 1 ? `fleet of ${count}` : `fleet of ${count}, ${workers} workers`
  const named = (what: string) => `${fleet}: ${what}, ${host.name}`
  const data = directory(measurement)
  const from = performance.now()
  const file = join(data, 'fleet.json')
  const configuration = { limits: { keepAlive: 2 * keepAlive } }
  // A listener for each address is a descriptor for each.
  const place = { network: '127.24.0.0/14', port: 0, ...(count > small && { address: '0.0.0.0' }) }
  writeFileSync(file, JSON.stringify({ data, workers, configuration, groups: [{ count, ...place }] }))
  const process = new Process(roomy(host), ['fleet', file], { MINNOW_ADMIN_PASSWORD: password })
  measurement.teardown(() => process.kill('SIGKILL'))
  await process.ready()
  yield { name: named('exec to listening'), value: performance.now() - from, unit: 'ms' }
  const servers = workers === 1 ? [process.pid] : childrenOf(process.pid)
  const memory = () => sum(servers.map(resident))
  yield { name: named('memory, listening'), value: memory(), unit: 'B' }

  const members: { url: string }[] = JSON.parse(readFileSync(join(data, 'inventory.json'), 'utf8'))
  const origins = members.map(({ url }) => new URL(url).origin)
  if (count === small) {
    yield* crawls(origins, named, memory)
    yield {
      name: named('time of a GET, to that of a process of its own'),
      value: await ratio(origins[0]!, host, measurement),
      unit: 'ratio'
    }
  }

  const cycled = await cycle(origins)
  yield { name: named('errors of power cycles'), value: cycled.errors, unit: 'events' }
  yield { name: named('power cycles'), value: cycled.rate, unit: 'events/s' }
  yield { name: named('memory after power cycles'), value: memory(), unit: 'B' }
  if (count > small) return void (await process.kill('SIGTERM'))

  const [listener] = await listen(measurement, 1)
  const told = await tell(origins, listener!, () => sum(servers.map(busy)))
  yield { name: named('events to one listener that were lost'), value: told.lost, unit: 'events' }
  yield { name: named('first events to one listener, over new connections'), value: told.first.rate, unit: 'events/s' }
  yield { name: named('events to one listener'), value: told.posted.rate, unit: 'events/s' }
  yield { name: named("processor's time of an event"), value: told.posted.busy, unit: 'ms' }
  yield { name: named('events that arise inside to one listener'), value: told.inside.rate, unit: 'events/s' }
  yield { name: named("processor's time of an event that arises inside"), value: told.inside.busy, unit: 'ms' }
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
async function send(
  pool: Pool,
  path: string,
  body?: object,
  wanted = 200,
  method: 'GET' | 'PATCH' | 'POST' = body === undefined ? 'GET' : 'POST'
): Promise<string> {
  const headers = { ...admin, 'content-type': 'application/json' }
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

/** The events of a round: how many a second arrived, and how much processor time of the fleet each took, in milliseconds. */
interface Told {
  readonly lost: number
  readonly rate: number
  readonly busy: number
}

/**
 * Lets all of them send events to one listener at once: a test event each, for which they connect; more test events;
 * and events that arise inside, two for each switch of a chassis' LED: of the lamp, and of the resource.
 *
 * @param used the processor time of the fleet so far, in milliseconds
 */
async function tell(origins: readonly string[], { came, destination }: Subscriber, used: () => number) {
  const service = '/redfish/v1/EventService/'
  // As a listener that expects bursts asks for it: with the shortest queue, events that do not fit are dropped at once.
  const Vendor = { RequestedMaxEventsToQueue: 100 }
  const RegistryPrefixes = ['ResourceEvent', 'MgmtResourceEvents']
  const origin = { '@odata.id': '/redfish/v1/Chassis/1/' }
  const pools = poolsOf(origins)
  await byClients([...pools], async ([Context, pool]) => {
    const filter = { RegistryPrefixes, OriginResources: [origin] }
    const wanted = { Destination: destination, Protocol: 'Redfish', Context, ...filter, Oem: { Vendor } }
    await send(pool, `${service}Subscriptions/`, wanted, 201)
  })
  const submit = (pool: Pool) =>
    send(pool, `${service}Actions/EventService.SubmitTestEvent/`, {
      MessageId: 'ResourceEvent.1.3.ResourceChanged',
      Severity: 'OK',
      OriginOfCondition: origin
    })
  const switchLed = (pool: Pool, index: number) =>
    send(pool, origin['@odata.id'], { IndicatorLED: index % 2 === 0 ? 'Lit' : 'Off' }, 200, 'PATCH')
  /** @param events of each cause */
  const measured = async (causes: number, events: number, cause: (pool: Pool, index: number) => Promise<unknown>) => {
    const [from, before, already] = [performance.now(), used(), came.size]
    await Promise.all(
      [...pools.values()].map(async (pool) => {
        for (let index = 0; index < causes; index++) await cause(pool, index)
      })
    )
    const count = causes * events * origins.length
    const left = () => already + count - came.size
    for (let tries = 0; tries < 1200 && left() > 0; tries++) await pause(100)
    const last = [...came.values()].at(-1) ?? Number.NaN
    return { lost: left(), rate: (1000 * (count - left())) / (last - from), busy: (used() - before) / count }
  }
  const first: Told = await measured(1, 1, submit)
  const posted: Told = await measured(eventsEach, 1, submit)
  const inside: Told = await measured(eventsEach, 2, switchLed)
  await close(pools)
  return { first, posted, inside, lost: first.lost + posted.lost + inside.lost }
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
