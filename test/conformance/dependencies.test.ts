import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { between, circles, type Graph, product, room } from './imports.ts'

/** The house from the ground up. A file imports from its own room, or from a room on a floor below. */
const floors: readonly (readonly string[])[] = [
  ['runtime/base', 'registries'],
  ['hal'],
  ['runtime/schema'],
  ['runtime/contract'],
  ['data'],
  ['runtime/store', 'handlers'],
  ['runtime/service', 'runtime/page'],
  ['runtime/request'],
  ['runtime/open'],
  ['runtime/listen'],
  ['runtime/command'],
  ['runtime/fleet', 'runtime/recording'],
  ['runtime/node', 'runtime/embedded'],
  ['runtime/build'],
  ['deploy']
]

/** Files of words and figures beside the rooms of `data`, which any room may read. */
const figures = /^data\/(boards\/|\w+\.json$)/

const floorOf = (file: string) => floors.findIndex((rooms) => rooms.includes(room(file)))

/** Imports from a room of the same floor or of one above. */
function upward(graph: Graph): string[] {
  return [...graph].flatMap(([file, targets]) =>
    [...targets]
      .filter((target) => !figures.test(target) && room(target) !== room(file) && floorOf(target) >= floorOf(file))
      .map((target) => `${file} imports ${target}`)
  )
}

/** Imports of the files of a room that are not among what the room may import. */
function strays(name: string, allowed: RegExp): string[] {
  return [...product].flatMap(([file, targets]) =>
    room(file) !== name
      ? []
      : [...targets].filter((each) => !allowed.test(each)).map((each) => `${file} imports ${each}`)
  )
}

t.test('every file has a floor', async (t) => {
  t.ok(product.size > 300)
  t.same(
    [...product.keys()].filter((file) => floorOf(file) < 0),
    []
  )
})

t.test('no import leads to a floor above, or to another room of the same floor', async (t) => {
  t.same(upward(product), [])
  const planted = new Map([...product, ['data/boot/order.ts', new Set(['runtime/store/store.ts'])]])
  t.same(upward(planted), ['data/boot/order.ts imports runtime/store/store.ts'], 'a planted one is seen')
})

t.test('no files import one another in a circle, for types either', async (t) => {
  t.same(circles(product), [])
  const planted = new Map([...product, ['data/boot/start.ts', new Set(['data/boot/settings.ts'])]])
  planted.set('data/boot/settings.ts', new Set(['data/boot/start.ts']))
  t.ok(circles(planted).length > 0, 'a planted one is seen')
})

t.test('no nouns of the domain or of background work import one another in a circle', async (t) => {
  const noun = (file: string) =>
    file
      .split('/')
      .slice(0, file.startsWith('data/') ? 2 : 3)
      .join('/')
  const nouns = new Map([...product].filter(([file]) => /^(data|runtime\/service)\//.test(file)))
  t.same(circles(between(nouns, noun)), [])
})

t.test('handlers import #runtime/contract, #data/<noun> and the parameters of their own actions only', async (t) => {
  t.same(strays('handlers', /^(runtime\/contract|data\/[a-z-]+)\/index\.ts$|\/Actions\//), [])
  const foreign = [...product].flatMap(([file, targets]) =>
    [...targets]
      .filter((each) => each.startsWith('handlers/') && !each.startsWith(file.replace(/\.ts$/, '/Actions/')))
      .filter(() => file.startsWith('handlers/'))
  )
  t.same(foreign, [])
})

t.test('beside handlers, only the generated routes import handlers; the page imports their types', async (t) => {
  const importers = [...product].filter(
    ([file, targets]) => !file.startsWith('handlers/') && [...targets].some((each) => each.startsWith('handlers/'))
  )
  t.same(
    importers.map(([file]) => file),
    ['runtime/page/types.ts']
  )
  const lines = readFileSync('runtime/page/types.ts', 'utf8').match(/^import .*/gm) ?? []
  t.same(
    lines.filter((each) => !each.startsWith('import type ')),
    []
  )
})

t.test('hal knows nothing of the service', async (t) => {
  t.same(strays('hal', /^(hal|runtime\/base)\//), [])
})

t.test(
  'the domain knows the formats and names of UEFI, and of the machine its words for power, ports and sensors',
  async (t) => {
    t.same(strays('data', /^(data\/|runtime\/(base|contract|schema)\/|hal\/(uefi\/|(power|ports|sensors)\.ts$))/), [])
  }
)

t.test('only the two hosts choose back ends', async (t) => {
  const backEnd = /^hal\/(backends\.ts$|(sim|native|qemu|gpio|sysfs|file|dbus|openbmc)\/)/
  const choosing = [...product].filter(([, targets]) => [...targets].some((each) => backEnd.test(each)))
  t.same(
    choosing.map(([file]) => file).filter((file) => !file.startsWith('hal/')),
    ['runtime/embedded/main.ts', 'runtime/embedded/modules/native.ts', 'runtime/node/parts.ts']
  )
})

t.test('nothing that a handler reaches runs a server, a store or a device', async (t) => {
  const { inputs }: { inputs: Record<string, { imports: readonly { path: string }[] }> } = JSON.parse(
    readFileSync('dist/meta.json', 'utf8')
  )
  const reached = new Set(Object.keys(inputs).filter((path) => path.startsWith('handlers/')))
  t.ok(reached.size > 100)
  for (const path of reached) for (const imported of inputs[path]?.imports ?? []) reached.add(imported.path)
  const ours =
    /^(handlers|runtime\/(base|contract|schema)|data|registries|hal\/uefi)\/|^hal\/(errors|power|sensors)\.ts$/
  t.same(
    [...reached].filter((path) => !ours.test(path)),
    ['node:crypto'],
    'no file, socket, database or device is in reach'
  )
})

t.test('handlers await the slow work of credentials and certificates only', async (t) => {
  const sources = ['handlers', 'data'].flatMap((folder) =>
    readdirSync(folder, { encoding: 'utf8', recursive: true })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
  )
  const awaited = sources.flatMap((source) => [...source.matchAll(/\bawait ([\w.]+)/g)].map(([, name]) => name))
  t.same([...new Set(awaited)].sort(), [
    // Of an account, for `credentials.hash` and `refuseFormer`.
    'changedPassword',
    'credentials.hash',
    'credentials.hashOther',
    'credentials.matches',
    'credentials.matchesOther',
    'credentials.verifyCode',
    // Of Sessions, for `credentials.verify`.
    'identify',
    'ownCertificate.makeRequest',
    // Of `changedPassword`, for `credentials.matches`.
    'refuseFormer'
  ])
})
