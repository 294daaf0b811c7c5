import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { directory, type Server, start } from '#test/host/server.ts'
import type { Work } from './counting.ts'
import { type Figure, sum } from './figures.ts'
import { resources, works } from './instructions.ts'
import { get, Load } from './load.ts'
import { chassis, hostNamed, type Measurement } from './measurement.ts'

const page = 'docs/costs.md'

/** The works that the page shows, by the heads of their columns. */
const columns: Readonly<Record<string, string>> = {
  again: 'GET of a Chassis again, token',
  'crawl, first': 'GET in a crawl, first round',
  'crawl, second': 'GET in a crawl, second round',
  PATCH: 'PATCH of an AssetTag',
  handshake: 'full TLS 1.3 X25519 handshake and a GET',
  idle: 'one second of nothing to do'
}

/** Parts of the binary by the object file, and where one is divided the function, that an instruction is of. */
const parts: readonly (readonly [part: string, object: RegExp, name?: RegExp])[] = [
  ['engine: interpreter', /libquickjs/, /^JS_CallInternal/],
  ['engine: objects and their properties', /libquickjs/, /rop(erty|ert)|shape|Object|Atom|atom/],
  ['engine: strings and JSON', /libquickjs/, /[sS]tring|json|Json|JSON|utf8|rope/],
  ['engine: memory', /libquickjs/, /[fF]ree|alloc|gc_|mark/],
  ['engine: memory', /\/objects\//, /^(take|give_back|resize|move|usable_size)$/],
  ['engine: the rest', /libquickjs/],
  [
    'TLS: ciphers',
    /lib-(chacha|poly1305)|\((chacha\w*|poly1305|aes\w*|gcm|cipher\w*|block_cipher|psa_crypto_(aead|cipher))\.o\)/
  ],
  ['TLS: SHA-2, HMAC and HKDF', /lib-sha|\((sha\d+|md\w*|hkdf|psa_crypto_(hash|mac)|ssl_tls13_keys)\.o\)/],
  ['TLS: curves', /libcrypto|libsodium|openssl|\((ecp\w*|ecdh|ecdsa|bignum\w*|pk\w*|asn1\w*)\.o\)/],
  ['TLS: the rest', /mbedtls/],
  ['database', /libleveldb|libstdc\+\+|libsnappy/],
  ['event loop', /libuv/],
  ['HTTP parser', /llhttp/],
  ['C library', /lib(c|m|pthread|gcc\w*)\.a/],
  ['the C host of ours', /./]
]
const hottest = 25

/** Instructions by function, and each function's object file. */
type Costs = Map<string, number>

/**
 * Writes the page on the use of instructions and memory.
 *
 * @throws Error when valgrind is not here
 */
export async function* profile(measurement: Measurement): AsyncGenerator<Figure> {
  const program = join(directory(measurement), 'minnow')
  const bundle = ['--bundle', 'dist/generated/embedded.mjs', '--documents', 'dist/documents.bin']
  const build = ['runtime/build/binary.mjs', '--arch', 'x86_64', ...bundle, '--out', program, '--symbols']
  execFileSync(process.execPath, build)
  const objects = new Objects(readFileSync(`${program}.sections`, 'utf8'))
  const uris = await resources(measurement)
  const all = works(uris)
  const found = new Map<string, Costs>()
  for (const [head, name] of Object.entries(columns)) {
    const work = all.find((each) => each.name === name)
    if (!work) throw new RangeError(`no work ${name}`)
    const costs = await costsOf(measurement, program, objects, work)
    found.set(head, costs)
    yield { name: `profiled: ${name}`, value: sum([...costs.values()]), unit: 'instructions' }
  }
  const memory = await memoryOf(measurement)
  for (const [kind, [idle, busy]] of memory) {
    yield { name: `resident, idle: ${kind}`, value: idle, unit: 'B' }
    yield { name: `resident, with 64 connections: ${kind}`, value: busy, unit: 'B' }
  }
  writeFileSync(page, pageOf(found, memory))
}

/** The object files of a program by the addresses of their code. */
class Objects {
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  readonly #names: string[] = []

  /** @param map the linker's */
  constructor(map: string) {
    const sections = [...map.matchAll(/^ \.text\S*\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S.*)$/gm)]
      .map(([, start = '', size = '', name = '']) => ({ start: parseInt(start, 16), size: parseInt(size, 16), name }))
      .filter(({ start, size }) => start > 0 && size > 0)
      .sort((one, other) => one.start - other.start)
    for (const { start, size, name } of sections) {
      this.#starts.push(start)
      this.#ends.push(start + size)
      this.#names.push(name)
    }
  }

  /** The path of the source file of an instruction; empty for code of the linker. */
  at(address: number): string {
    let [low, high] = [0, this.#starts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#starts[middle]! <= address) low = middle + 1
      else high = middle
    }
    return address < (this.#ends[low - 1] ?? 0) ? this.#names[low - 1]! : ''
  }
}

/** The cost of one request of a work, by `part` and function, as the difference of two runs. */
async function costsOf(measurement: Measurement, program: string, objects: Objects, work: Work): Promise<Costs> {
  const { times, requests = 1, polls = false } = work
  const configuration = polls ? {} : { sensors: { interval: 3600 } }
  const few = await run(times[0])
  const many = await run(times[1])
  const each = (times[1] - times[0]) * requests
  return new Map([...many].map(([name, cost]) => [name, (cost - (few.get(name) ?? 0)) / each]))

  async function run(count: number): Promise<Costs> {
    const out = join(directory(measurement), 'callgrind.out')
    const options = ['--dump-instr=yes', '--compress-pos=no', '--compress-strings=no', `--callgrind-out-file=${out}`]
    const command = ['valgrind', '--tool=callgrind', ...options, '--log-file=/dev/null', program] as const
    const server = await start(measurement, { ...hostNamed('x86-64'), command }, { configuration })
    await work.perform(server, count)
    await server.stop()
    return costsIn(readFileSync(out, 'utf8'), objects)
  }
}

/** A function's own instructions in callgrind's output (its manual, "Callgrind Format Specification"). */
function costsIn(text: string, objects: Objects): Costs {
  const costs: Costs = new Map()
  let name = ''
  let inclusive = false
  for (const line of text.split('\n')) {
    if (line.startsWith('fn=')) name = line.slice('fn='.length).replace(/'\d+$/, '')
    else if (line.startsWith('calls=')) inclusive = true
    else if (line.startsWith('0x')) {
      const [address = '', , cost = ''] = line.split(' ')
      const part = partOf(objects.at(Number(address)), name)
      const key = `${part}\t${name.startsWith('0x') ? `without a symbol: ${part}` : name}`
      if (!inclusive) costs.set(key, (costs.get(key) ?? 0) + Number(cost))
      inclusive = false
    }
  }
  return costs
}

function partOf(object: string, name: string): string {
  const found = parts.find(([, file, names]) => file.test(object) && (names?.test(name) ?? true))
  return found?.[0] ?? 'C library' // its functions that are chosen at start lie in sections of the linker's
}

/** Resident bytes by kind of mapping: idle, and with 64 connections that have sent requests. */
type Resident = ReadonlyMap<string, readonly [idle: number, busy: number]>

async function memoryOf(measurement: Measurement): Promise<Resident> {
  const server = await start(measurement, hostNamed('x86-64'), { configuration: { password: {} } })
  await server.get(chassis)
  const idle = mappings(server)
  const load = await Load.open(server, 64)
  await load.send(10_000, get(chassis))
  const busy = mappings(server)
  load.close()
  await server.stop()
  const largestFirst = [...busy].sort(([, one], [, other]) => other - one)
  return new Map(largestFirst.map(([kind, bytes]) => [kind, [idle.get(kind) ?? 0, bytes]]))
}

/** proc_pid_smaps(5): resident bytes by kind of mapping. */
function mappings(server: Server): Map<string, number> {
  const smaps = readFileSync(`/proc/${server.process.pid}/smaps`, 'utf8')
  const sums = new Map<string, number>()
  for (const [, access = '', path = '', rss = ''] of smaps.matchAll(
    /^[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ \d+ *(.*)\n(?:[A-Z].*\n)*?Rss: +(\d+) kB/gm
  )) {
    const kind = kindOf(access, path)
    sums.set(kind, (sums.get(kind) ?? 0) + Number(rss) * 1024)
  }
  return sums
}

function kindOf(access: string, path: string): string {
  if (path === '[heap]') return 'C heap: TLS, database, event loop'
  if (path.startsWith('[')) return 'stack and kernel pages'
  if (path === '') return 'anonymous mappings: engine, stacks of threads, big blocks'
  if (!path.includes('minnow')) return 'files of the database'
  if (access.includes('x')) return 'code of the program'
  return access.includes('w') ? 'variables of the program' : 'constants of the program'
}

function pageOf(found: ReadonlyMap<string, Costs>, memory: Resident): string {
  const heads = [...found.keys()]
  const thousand = (value: number) => (Math.abs(value) < 50 ? '' : (value / 1000).toFixed(1))
  const row = (name: string, cost: (costs: Costs) => number) =>
    `| ${name} | ${heads.map((head) => thousand(cost(found.get(head)!))).join(' | ')} |`
  const inPart = (part: string) => (costs: Costs) =>
    sum([...costs].flatMap(([key, cost]) => (key.startsWith(`${part}\t`) ? [cost] : [])))
  const keys = new Set([...found.values()].flatMap((costs) => [...costs.keys()]))
  const most = (key: string) => Math.max(...[...found.values()].map((costs) => (costs.get(key) ?? 0) / total(costs)))
  const hot = [...keys].sort((one, other) => most(other) - most(one)).slice(0, hottest)
  const table = [`| | ${heads.join(' | ')} |`, `|---|${heads.map(() => '---:|').join('')}`]
  return `# Costs

Where instructions and memory go. \`npm run bench -- profile\` writes this page; it needs \`valgrind\`. To compare with
another commit: \`npm run bench -- compare COMMIT\`.

## Instructions

Thousands of user-space instructions on x86-64 for one request, or one second of nothing to do, by part of the binary.
The columns are the works of the same names in [Figures](figures.md).

${table.join('\n')}
${[...new Set(parts.map(([part]) => part))].map((part) => row(part, inPart(part))).join('\n')}
${row('**all**', total)}

The functions with the largest shares:

${table.join('\n')}
${hot.map((key) => row(`\`${key.split('\t')[1]}\``, (costs) => costs.get(key) ?? 0)).join('\n')}

## Memory

Resident kilobytes of the x86-64 binary by kind of mapping. The engine's own heap is in anonymous mappings. Pages of code
and constants are shared by all processes of the binary, and the kernel can drop them.

| | idle | with 64 connections |
|---|---:|---:|
${[...memory].map(([kind, bytes]) => memoryRow(kind, bytes)).join('\n')}
${memoryRow(
  '**all**',
  [0, 1].map((index) => sum([...memory.values()].map((bytes) => bytes[index] ?? 0)))
)}
`
}

const memoryRow = (kind: string, bytes: readonly number[]) => `| ${[kind, ...bytes.map(kilobytes)].join(' | ')} |`
const kilobytes = (bytes: number) => Math.round(bytes / 1024).toLocaleString('en')
const total = (costs: Costs) => sum([...costs.values()])
