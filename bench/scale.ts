import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Board } from '#data/board'
import { head } from '#test/host/raw.ts'
import { admin, directory, type Json, type Server, start } from '#test/host/server.ts'
import { instructionsFor } from './counting.ts'
import type { Figure } from './figures.ts'
import { boardOf, buildProduct, largest, productOn } from './firmware.ts'
import { Load } from './load.ts'
import { chassis, hostNamed, type Measurement } from './measurement.ts'
import { silence, submitEvent, subscribe } from './subscribers.ts'

/** Something that a service has much of. */
interface Amount {
  readonly name: string
  readonly program?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly limits?: Json
  /** Once, before all. */
  fill?(server: Server): Promise<void>
}

const [sessions, subscriptions, entries, systems] = [32, 20, 10_000, 100]
const ways = { 'head new': {}, 'made anew': { cache: 0, repeats: 0 } }

/** The cost of a GET of a Chassis in a service that has much of something, to that in one with little. */
export async function* scale(measurement: Measurement): AsyncGenerator<Figure> {
  buildProduct()
  const dead = await silence(measurement)
  const amounts: readonly Amount[] = [
    { name: 'little' },
    { name: `${sessions} sessions`, fill: (server) => times(sessions, () => server.login()) },
    { name: `${subscriptions} subscriptions`, fill: (server) => times(subscriptions, () => subscribe(server, dead)) },
    {
      name: `${entries.toLocaleString('en')} records`,
      limits: { logEntries: entries },
      fill: (server) => times(entries, (n) => submitEvent(server, `entry ${n}`))
    },
    {
      name: `${largest.toLocaleString('en')} BIOS attributes`,
      program: productOn('x86-64').command[0],
      args: boardOf(measurement, largest)
    },
    // Each simulated system has half a megabyte of variables in memory.
    {
      name: `${systems} systems`,
      args: ['--board', boardWithSystems(measurement)],
      env: { MINNOW_HEAP_MIB: '128' }
    }
  ]
  for (const [way, unkept] of Object.entries(ways)) {
    let little = Number.NaN
    for (const amount of amounts) {
      const cost = await costWith(measurement, amount, unkept)
      if (amount.name === 'little') little = cost
      const name = `GET of a Chassis, ${way}, with ${amount.name}`
      yield { name: `instructions: ${name}`, value: cost, unit: 'instructions' }
      if (cost !== little) yield { name: `${name} / with little`, value: cost / little, unit: 'ratio' }
    }
  }
}

async function costWith(measurement: Measurement, amount: Amount, unkept: Json): Promise<number> {
  const { program, args = [], env = {}, fill } = amount
  const configuration = { limits: { ...amount.limits, ...unkept } }
  const options = { data: directory(measurement), configuration, args, env }
  const host = hostNamed('x86-64')
  const first = await start(measurement, program ? { ...host, command: [program] } : host, options)
  await fill?.(first)
  await first.stop()
  const perform = async (server: Server, count: number) => {
    const load = await Load.open(server, 1)
    for (let n = 0; n < count; n++) {
      await load.send(1, head('GET', chassis, `Authorization: ${admin.authorization}\r\nAccept-Language: x-${n}\r\n`))
    }
    load.close()
  }
  return instructionsFor(measurement, { ...(program && { program }), ...options }, { times: [10, 110], perform })
}

async function times(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; n++) await work(n)
}

/** A board with this number of simulated machines. */
function boardWithSystems(measurement: Measurement): string {
  const board: Board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
  const [first] = Object.values(board.systems)
  if (!first) throw new Error('no system')
  const { softwareId: _, ...system } = first
  const numbers = Array.from({ length: systems }, (_, n) => n + 1)
  const all = numbers.map((n) => {
    const id = String(n)
    return [id, { ...system, uuid: `3f0c5d1e-7a52-4c1b-9d38-${id.padStart(12, '0')}` }] as const
  })
  const file = join(directory(measurement), 'board.json')
  writeFileSync(file, JSON.stringify({ ...board, systems: Object.fromEntries(all) }))
  return file
}
