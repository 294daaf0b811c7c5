import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Board } from '#data/board'
import type { Host } from '#test/host/hosts.ts'
import { directory, type Options, type Server, start } from '#test/host/server.ts'
import { attributeRegistry } from './attribute-registry.ts'
import { biosRequests } from './bios-requests.ts'
import { instructionsFor } from './counting.ts'
import type { Figure } from './figures.ts'
import { get, Load } from './load.ts'
import { bios, hostNamed, type Measurement } from './measurement.ts'
import { pendingWrite } from './pending-write.ts'

const folder = 'dist/bench'
const names = ['x86-64', 'Node.js'] as const
/** How many attributes the registries have: one for the times, the others for how the cost grows. */
const usual = 300
const sizes = [280, 1250, 5000] as const
/** The most attributes that the product of {@link buildProduct} has a registry of. */
export const largest = sizes[2]
/** No answer is cached. */
const nothingKept = { limits: { cache: 0, repeats: 0 } }

/** The cost of BIOS settings, secure boot and the variable store, on both hosts. */
export async function* firmware(measurement: Measurement): AsyncGenerator<Figure> {
  yield* pendingWrite()
  yield* variableStore()
  buildProduct()
  for (const name of names) yield* biosRequests(measurement, name, attributeRegistry(usual), serving(measurement, name))
  yield* growth(measurement)
}

/** `bench/variable-store.ts` on both hosts. */
async function* variableStore(): AsyncGenerator<Figure> {
  const entry = 'bench/variable-store.ts'
  const program = join(folder, 'variable-store')
  const outfile = `${program}.mjs`
  await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile })
  run(process.execPath, 'runtime/build/binary.mjs', '--entry', entry, '--out', program)
  for (const [name, output] of [
    ['x86-64', run(program)],
    ['Node.js', run(process.execPath, outfile)]
  ] as const) {
    const { open, reclaim } = JSON.parse(output)
    yield { name: `open of a full 4M store, ${name}`, value: open, unit: 'ms' }
    yield { name: `reclaim of a full 4M store, ${name}`, value: reclaim, unit: 'ms' }
  }
}

/** The product as it is, but with registries of other sizes. */
export function buildProduct(): void {
  const registries = join(folder, 'registries')
  rmSync(registries, { recursive: true, force: true })
  mkdirSync(registries, { recursive: true })
  for (const size of [usual, ...sizes]) {
    const registry = attributeRegistry(size)
    writeFileSync(join(registries, `${registry.Id}.json`), JSON.stringify(registry))
  }
  run(process.execPath, 'build.mjs', '--binary', '--registries', registries, '--out', join(folder, 'product'))
}

export function productOn(name: (typeof names)[number]): Host {
  const product = join(folder, 'product')
  const command = { 'x86-64': [`${product}/minnow-x86_64`], 'Node.js': [process.execPath, `${product}/minnow.mjs`] }
  return { ...hostNamed(name), command: command[name] as [string, ...string[]] }
}

/** Starts the product with default settings, and logs the first administrator in once. */
function serving(measurement: Measurement, name: (typeof names)[number]) {
  return async (kept: boolean): Promise<Server> => {
    const configuration = { password: {}, ...(!kept && nothingKept) }
    const server = await start(measurement, productOn(name), { configuration, args: boardOf(measurement, usual) })
    const { status, json } = await server.get(bios)
    if (status !== 200 || Object.keys(json.Attributes).length !== usual) throw new Error(`${name}: ${status}`)
    return server
  }
}

/**
 * The flags for the simulated machine with a registry of this number of attributes, and with power that switches at
 * once.
 */
export function boardOf(measurement: Measurement, size: number): readonly string[] {
  const board: Board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
  const power = { type: 'sim', onTime: 0, offTime: 0, gracefulTime: 0, resetTime: 0 }
  const systems = Object.entries(board.systems).map(([id, system]) => {
    return [id, { ...system, power, attributeRegistry: attributeRegistry(size).Id }] as const
  })
  const file = join(directory(measurement), 'board.json')
  writeFileSync(file, JSON.stringify({ ...board, systems: Object.fromEntries(systems) }))
  return ['--board', file]
}

/** The cost of an uncached answer in the binary, by the number of attributes. */
async function* growth(measurement: Measurement): AsyncGenerator<Figure> {
  const costs: number[] = []
  for (const size of sizes) {
    const host = productOn('x86-64')
    const args = boardOf(measurement, size)
    const options: Options = { data: directory(measurement), args, configuration: nothingKept }
    const first = await start(measurement, host, options)
    const { Attributes } = (await first.get(bios)).json
    if (Object.keys(Attributes).length !== size) throw new Error(`${Object.keys(Attributes).length} attributes`)
    await first.stop()
    const perform = async (server: Server, times: number) => {
      const load = await Load.open(server, 1)
      await load.send(times, get(bios))
      load.close()
    }
    const program = host.command[0]
    const cost = await instructionsFor(measurement, { program, ...options }, { times: [5, 30], perform })
    costs.push(cost)
    const shown = size.toLocaleString('en')
    yield { name: `instructions: GET of Bios with ${shown} attributes, not kept`, value: cost, unit: 'instructions' }
    yield { name: `instructions per attribute of ${shown}`, value: cost / size, unit: 'instructions' }
  }
  const [few, some, many] = sizes
  const [small, middle, large] = costs as [number, number, number]
  const each = large / many / (small / few)
  yield { name: 'instructions per attribute, 5,000 / 280 attributes', value: each, unit: 'ratio' }
  // Without the fixed cost of each answer.
  const more = (large - middle) / (many - some) / ((middle - small) / (some - few))
  yield { name: 'instructions for one more attribute, beyond 1,250 / below', value: more, unit: 'ratio' }
}

function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`)
  return stdout
}
