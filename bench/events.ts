import { setTimeout as pause } from 'node:timers/promises'
import { hosts } from '#test/host/hosts.ts'
import type { Server } from '#test/host/server.ts'
import { type Figure, median, quantile } from './figures.ts'
import { type Measurement, startAsShipped } from './measurement.ts'
import { listen, type Subscriber, silence, submitEvent, subscribe } from './subscribers.ts'

const subscribers = 20
const rate = 100
const seconds = 60
/** Of the comparison with and without a subscriber that is dead, one after the other. */
const rounds = 5
const roundSeconds = 4

/**
 * Events from a request to 20 subscribers with queues of 100: whether all arrived, once each, and after what time; then
 * what one subscriber of them that is dead costs the others.
 */
export async function* events(measurement: Measurement): AsyncGenerator<Figure> {
  for (const host of hosts.slice(0, 2)) {
    if (host.missing) continue
    const server = await startAsShipped(measurement, host)
    const all = await listen(measurement, subscribers)
    const uris: string[] = []
    for (const { destination } of all) uris.push(await subscribe(server, destination))
    const refused = await delivers(server, all, uris[0]!)
    if (refused !== undefined) {
      console.log(`events, ${host.name}: nothing is delivered: ${refused}`)
      await server.stop()
      continue
    }

    yield* manyEvents(host.name, server, all)
    await server.delete(uris[0]!)
    yield* besideDead(host.name, server, all, await silence(measurement))
    await server.stop()
  }
}

async function* manyEvents(name: string, server: Server, all: readonly Subscriber[]): AsyncGenerator<Figure> {
  const { lost, twice, rate, took } = await send(server, all, seconds)
  yield { name: `events lost, ${name}`, value: lost, unit: 'events' }
  yield { name: `events that came twice, ${name}`, value: twice, unit: 'events' }
  yield { name: `events told, ${name}`, value: rate, unit: 'events/s' }
  yield { name: `fan-out to ${subscribers}, p50, ${name}`, value: quantile(took, 0.5), unit: 'ms' }
  yield { name: `fan-out to ${subscribers}, p99, ${name}`, value: quantile(took, 0.99), unit: 'ms' }
}

/** Measures all but the first, in turns beside that and beside one at `silent`, so that noise hits both. */
async function* besideDead(
  name: string,
  server: Server,
  [first, ...others]: readonly Subscriber[],
  silent: string
): AsyncGenerator<Figure> {
  const p99 = { living: [] as number[], dead: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    for (const [destination, found] of [
      [first!.destination, p99.living],
      [silent, p99.dead]
    ] as const) {
      const uri = await subscribe(server, destination)
      found.push(quantile((await send(server, others, roundSeconds)).took, 0.99))
      await server.delete(uri)
    }
  }
  yield { name: `p99 of 19 beside one more, ${name}`, value: median(p99.living), unit: 'ms' }
  yield { name: `p99 of 19 beside a dead one, ${name}`, value: median(p99.dead), unit: 'ms' }
  const cost = median(p99.dead.map((each, round) => each / p99.living[round]!))
  yield { name: `p99 beside a dead one / beside one more, ${name}`, value: cost, unit: 'ratio' }
}

/** Whether an event arrives within five seconds; otherwise the state of the subscription. */
async function delivers(server: Server, all: readonly Subscriber[], uri: string): Promise<string | undefined> {
  await submitEvent(server, 'first')
  for (let tries = 0; tries < 200; tries++) {
    if (all.every(({ came }) => came.has('first'))) return undefined
    await pause(25)
  }
  const { Status, Oem } = (await server.get(uri)).json
  return JSON.stringify({ Status, Oem })
}

/** The fate of events that were sent at the rate, and how long each took to each subscriber, in milliseconds. */
interface Outcome {
  readonly lost: number
  readonly twice: number
  /** Events a second that the service took. */
  readonly rate: number
  readonly took: readonly number[]
}

let last = 0

async function send(server: Server, to: readonly Subscriber[], seconds: number): Promise<Outcome> {
  const before = to.reduce((sum, { twice }) => sum + twice, 0)
  const sent = new Map<string, number>()
  const submitted: Promise<void>[] = []
  const begun = performance.now()
  for (let n = 0; n < seconds * rate; n++) {
    const late = begun + (n * 1000) / rate - performance.now()
    if (late > 1) await pause(late)
    const id = String(++last)
    sent.set(id, performance.now())
    submitted.push(submitEvent(server, id))
  }
  await Promise.all(submitted)
  const taken = performance.now() - begun
  const missing = () => to.reduce((sum, { came }) => sum + [...sent.keys()].filter((id) => !came.has(id)).length, 0)
  for (let tries = 0; tries < 100 && missing() > 0; tries++) await pause(100)
  const took = to.flatMap(({ came }) => [...sent].flatMap(([id, at]) => (came.has(id) ? [came.get(id)! - at] : [])))
  return {
    lost: missing(),
    twice: to.reduce((sum, { twice }) => sum + twice, 0) - before,
    rate: sent.size / (taken / 1000),
    took
  }
}
