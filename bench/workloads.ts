import { setTimeout as pause } from 'node:timers/promises'
import { head } from '#test/host/raw.ts'
import { admin, directory, type Server } from '#test/host/server.ts'
import { clients, type Get } from './clients.ts'
import { instructionsFor, instructionsOfStart, type Work } from './counting.ts'
import type { Figure } from './figures.ts'
import { resources } from './instructions.ts'
import { get, Load } from './load.ts'
import { Measurement } from './measurement.ts'
import { listen, submitEvent, subscribe } from './subscribers.ts'

/** URIs that requests are counted for. */
const root = '/redfish/v1/'
const system = `${root}Systems/1/`
const chassis = `${root}Chassis/1/`
const manager = `${root}Managers/1/`
const resourceDirectory = `${root}ResourceDirectory/`
const polled = [`${chassis}Thermal/`, `${chassis}Power/`, system]

/** How often something is done in the two runs whose difference counts. */
const [few, many] = [2, 12]

/**
 * Likewise among changes, each of which costs thirty times the request that is counted: so many that one collection of
 * garbage more in one run does not count, and so few that the database does not write its buffer out.
 */
const manyChanges = 52

/** One request again and again, over one connection, by a client who is known. */
function again(name: string, path: string, status = 200): Work {
  return {
    name,
    times: [few, many],
    perform: async (server, times) => {
      const load = await Load.open(server, 1)
      await load.send(1, get(system))
      await load.send(times, get(path), status)
      load.close()
    }
  }
}

/** Requests in turn, over one connection. */
function inTurn(requests: readonly string[], status = 200) {
  return async (server: Server, times: number) => {
    const load = await Load.open(server, 1)
    for (let n = 0; n < times; n++) for (const bytes of requests) await load.send(1, bytes, status)
    load.close()
  }
}

/**
 * A GET after something else has been done, which is done as often in both runs and so does not count.
 *
 * @param before called before each request, with its number
 */
function after(name: string, path: string, before: (server: Server, n: number) => Promise<unknown>): Work {
  return {
    name,
    times: [few, manyChanges],
    perform: async (server, times) => {
      const load = await Load.open(server, 1)
      for (let n = 0; n < manyChanges; n++) {
        await before(server, n)
        if (n < times) await load.send(1, get(path))
      }
      load.close()
    }
  }
}

async function comesAndGoes(server: Server): Promise<void> {
  const { token, location } = await server.login()
  await server.delete(location, token)
}

const patch = (path: string) => (server: Server, n: number) => server.patch(path, { AssetTag: `rack ${n}` })

/** The requests of real clients. Each figure is the instructions for one of them. */
function works(uris: readonly string[]): Work[] {
  return [
    again('service root', root),
    { name: 'service root without credentials', times: [few, many], perform: inTurn([head('GET', root, '')]) },
    again('Managers/1', manager),
    again('TaskService', `${root}TaskService/`),
    again('Sessions', `${root}SessionService/Sessions/`),
    after('System after a PATCH of it', system, patch(system)),
    again('Systems/1?$select=Id', `${system}?$select=Id`),
    again('Chassis/1?$select=Id', `${chassis}?$select=Id`),
    again('Chassis/1?$expand=*', `${chassis}?$expand=*`),
    again('Thermal', `${chassis}Thermal/`),
    again('Power', `${chassis}Power/`),
    again('Sensors/1', `${chassis}Sensors/1/`),
    after("a Chassis after somebody else's PATCH", chassis, patch(system)),
    after("a Chassis after somebody else's login", chassis, comesAndGoes),
    { name: 'a Chassis, first on a connection', times: [few, manyChanges], perform: firstOnConnections },
    {
      name: 'a Chassis with a changing X-Request-Id',
      times: [few, many],
      perform: (server, times) =>
        inTurn(
          Array.from({ length: times }, (_, n) =>
            head('GET', chassis, `Authorization: ${admin.authorization}\r\nX-Request-Id: ${n}\r\n`)
          )
        )(server, 1)
    },
    {
      name: '70 different heads in turn',
      times: [1, 3],
      requests: 70,
      perform: inTurn(
        Array.from({ length: 70 }, (_, n) =>
          head('GET', chassis, `Authorization: ${admin.authorization}\r\nX-Client: ${n}\r\n`)
        )
      )
    },
    { name: 'a poll of Thermal, Power and System', times: [1, 21], polls: true, perform: pollsEvery(2) },
    {
      name: 'a scrape of 80 URIs in a session',
      times: [1, 3],
      perform: scrapes(uris.filter((uri) => uri !== resourceDirectory).slice(0, 80))
    },
    { name: 'ResourceDirectory, the first time', times: [0, 1], perform: inTurn([get(resourceDirectory)]) },
    again('ResourceDirectory again', resourceDirectory),
    { name: '$expand=*($levels=6) of the root', times: [0, 1], perform: refused(`${root}?$expand=*($levels=6)`, 507) },
    {
      name: 'Chassis, $expand=*($levels=3)',
      times: [1, 3],
      perform: inTurn([get(`${root}Chassis/?$expand=*($levels=3)`)])
    },
    { name: 'a login with a wrong password', times: [0, 1], slowHash: true, perform: wrongPassword },
    again('404', `${root}Nowhere/`, 404),
    { name: 'a test event to a listener', times: [few, manyChanges], perform: eventsTo(submitTest, 1) },
    {
      name: 'the switch of an LED, two events to a listener',
      times: [few, manyChanges],
      perform: eventsTo(switchLed, 2)
    },
    ...Object.entries(clients).map(([name, perform]) => ({
      name,
      times: [1, 3] as const,
      perform: (server: Server, times: number) => asClient(server, times, perform)
    }))
  ]
}

/** The cost of real workloads on both processors. */
export async function* workloads(measurement: Measurement): AsyncGenerator<Figure> {
  yield* starts(measurement)
  const uris = await resources(measurement)
  for (const work of works(uris)) {
    for (const processor of ['x86-64', 'ARMv7'] as const) {
      const value = await instructionsFor(measurement, { processor }, work)
      yield { name: `workload: ${work.name}, ${processor}`, value, unit: 'instructions' }
    }
  }
}

/** The requests of a client, each time in a session of its own. */
async function asClient(server: Server, times: number, perform: (get: Get) => Promise<void>): Promise<void> {
  for (let n = 0; n < times; n++) {
    const { token, location } = await server.login()
    await perform(async (path) => {
      const { status, text } = await server.get(path, token)
      return status === 200 ? JSON.parse(text) : undefined
    })
    await server.delete(location, token)
  }
}

/** A first start, which makes keys, certificate and the first administrator, and one with the data of it. */
async function* starts(measurement: Measurement): AsyncGenerator<Figure> {
  for (const processor of ['x86-64', 'ARMv7'] as const) {
    const data = directory(measurement)
    for (const name of ['first start', 'start on existing data']) {
      const value = await instructionsOfStart(measurement, processor, data)
      yield { name: `workload: ${name}, ${processor}`, value, unit: 'instructions' }
    }
  }
}

/** Both runs open as many connections. One without a request may be closed before the server ends its handshake. */
async function firstOnConnections(server: Server, times: number): Promise<void> {
  for (let n = 0; n < manyChanges; n++) {
    const load = await Load.open(server, 1)
    if (n < times) await load.send(1, get(chassis))
    load.close()
  }
}

/** Polls at an interval in which all readings are new, for as long in both runs. */
function pollsEvery(seconds: number) {
  return async (server: Server, times: number) => {
    const load = await Load.open(server, 1)
    for (let n = 0; n < 21; n++) {
      if (n < times) for (const path of polled) await load.send(1, get(path))
      await pause(seconds * 1000)
    }
    load.close()
  }
}

/** As an exporter of metrics does: a session, each URI once, and the end of the session. */
function scrapes(uris: readonly string[]) {
  return async (server: Server, times: number) => {
    const load = await Load.open(server, 1)
    for (let n = 0; n < times; n++) {
      const { token, location } = await server.login()
      for (const uri of uris) await load.send(1, head('GET', uri, `X-Auth-Token: ${token['x-auth-token']}\r\n`))
      await server.delete(location, token)
    }
    load.close()
  }
}

function refused(path: string, status: number) {
  return async (server: Server, times: number) => {
    await server.get(root)
    await inTurn([get(path)], status)(server, times)
  }
}

const submitTest = (server: Server, n: number) => submitEvent(server, String(n))

async function switchLed(server: Server, n: number): Promise<void> {
  const { status, text } = await server.patch(chassis, { IndicatorLED: n % 2 === 0 ? 'Lit' : 'Off' })
  if (status !== 200) throw new Error(`answered ${status}: ${text}`)
}

/** Events one after another, each with its delivery. @param events of each cause */
function eventsTo(cause: (server: Server, n: number) => Promise<void>, events: number) {
  return async (server: Server, times: number) => {
    const measurement = new Measurement()
    const [listener] = await listen(measurement, 1)
    await subscribe(server, listener!.destination)
    for (let n = 0; n < times; n++) {
      await cause(server, n)
      while (listener!.came.size < (n + 1) * events) await pause(1)
    }
    await measurement.end()
  }
}

async function wrongPassword(server: Server, times: number): Promise<void> {
  await server.get(root, {})
  for (let n = 0; n < times; n++) {
    const { status } = await server.post(
      `${root}SessionService/Sessions`,
      { UserName: 'admin', Password: 'Wrong-9-Pass' },
      {}
    )
    if (status !== 401) throw new Error(`answered ${status}`)
  }
}
