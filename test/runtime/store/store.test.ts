import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Level } from 'level'
import t, { type Test } from 'tap'
import { Checkpoint } from '#runtime/store/checkpoint.ts'
import { StoreError } from '#runtime/store/recovery.ts'
import { SharedDatabase } from '#runtime/store/shared.ts'
import { Store } from '#runtime/store/store.ts'
import { vouchForTables } from '#runtime/store/tables.ts'

const options = { cache: 65536, writeBuffer: 65536, reserve: 0, checkpointEvery: 300 }
const directory = () => mkdtempSync(join(tmpdir(), 'minnow-store-'))

t.test('a commit survives reopening the store', async (t) => {
  const path = directory()
  const store = await Store.open(path, options)
  await store.commit({ chassis: { 1: { locating: true }, 2: { locating: false } } })
  await store.commit({ chassis: { 2: null } })
  await store.close()
  const again = await Store.open(path, options)
  t.same(again.get('chassis', '1'), { locating: true })
  t.same(again.keys('chassis'), ['1'])
  await again.close()
})

t.test('a record keeps the members that a write leaves undefined', async (t) => {
  const store = await Store.open(directory(), options)
  await store.commit({ session: { s: { user: 'admin', token: 'x', createdAt: 1, accessedAt: 1, address: 'a' } } })
  await store.commit({ session: { s: { accessedAt: 5, address: undefined } } })
  t.same(store.get('session', 's'), { user: 'admin', token: 'x', createdAt: 1, accessedAt: 5, address: 'a' })
  await store.close()
})

t.test('revisions only rise: over changes, deletions and restarts', async (t) => {
  const path = directory()
  const seen: number[] = []
  let store = await Store.open(path, options)
  const look = () => seen.push(store.revisions.of('chassis/1'))
  look()
  await store.commit({ chassis: { 1: { locating: true } } })
  look()
  await store.commit({ chassis: { 1: { locating: false } } })
  look()
  await store.commit({ chassis: { 1: null } })
  look()
  await store.close()
  store = await Store.open(path, options)
  t.equal(store.revisions.of('chassis/1'), seen.at(-1), 'a restart alone changes nothing')
  await store.commit({ chassis: { 1: { locating: true } } })
  look()
  t.same(
    [...seen].sort((a, b) => a - b),
    seen
  )
  t.equal(new Set(seen).size, seen.length)
  await store.close()
})

t.test('a write whose grounds have moved is not made', async (t) => {
  const store = await Store.open(directory(), options)
  await store.commit({ chassis: { 1: { locating: false } } })
  const revision = store.revisions.of('chassis/1')
  const unmoved = () => store.revisions.of('chassis/1') === revision
  const both = await Promise.all([
    store.commit({ chassis: { 1: { locating: true } } }, unmoved),
    store.commit({ chassis: { 1: { locating: false } } }, unmoved)
  ])
  t.same(both, [true, false])
  t.same(store.get('chassis', '1'), { locating: true })
  await store.close()
})

t.test('a directory in use is refused with one line', async (t) => {
  const path = directory()
  const store = await Store.open(path, options)
  const second = await Store.open(path, options).catch((error: Error) => error)
  t.type(second, StoreError)
  t.match((second as Error).message, /in use/)
  await store.close()
})

t.test('a store that is damaged is set aside, and its last copy taken', async (t) => {
  const path = join(directory(), 'store')
  let store = await Store.open(path, options)
  await store.commit({ chassis: { 1: { locating: true } } })
  await store.checkpoint()
  await store.commit({ chassis: { 2: { locating: true } } })
  // Closing would copy it once more: the service is killed.
  cpSync(path, `${path}-killed`, { recursive: true })
  cpSync(`${path}.checkpoint`, `${path}-killed.checkpoint`)
  await store.close()
  const manifest = readdirSync(path).find((name) => name.startsWith('MANIFEST')) ?? ''
  writeFileSync(join(`${path}-killed`, manifest), 'x')
  store = await Store.open(`${path}-killed`, options)
  t.same(store.keys('chassis'), ['1'])
  t.match(store.loss, { cause: /is damaged/, source: 'Copy' })
  t.ok(Math.abs((store.loss?.at ?? 0) - Date.now()) < 60_000, 'it says how old the copy is')
  t.equal(readFileSync(join(`${path}-killed.damaged`, manifest), 'utf8'), 'x')
  await store.close()
})

/** The store of a service that was killed, a while after its last copy; it is closed elsewhere. */
async function killed(t: Test): Promise<string> {
  const path = join(directory(), 'store')
  const store = await Store.open(path, options)
  t.teardown(() => store.close())
  await store.commit({ chassis: { 1: { locating: true } } })
  await store.checkpoint()
  await store.commit({ chassis: { 2: { locating: true } } })
  cpSync(path, `${path}-killed`, { recursive: true })
  cpSync(`${path}.checkpoint`, `${path}-killed.checkpoint`)
  return `${path}-killed`
}

const fileOf = (path: string, pattern: RegExp) => join(path, readdirSync(path).find((name) => pattern.test(name)) ?? '')

/** The frame of a record of LevelDB's log format, and content that does not have its checksum. */
const torn = (content: Uint8Array) => Buffer.concat([Buffer.from([1, 2, 3, 4, content.length, 0, 1]), content])

const interrupted: Readonly<Record<string, Uint8Array>> = {
  'a record of which a part is zeros': torn(Buffer.concat([Buffer.alloc(20, 7), Buffer.alloc(20)])),
  'the beginning of a record': torn(Buffer.alloc(40, 7)).subarray(0, 30),
  'the beginning of a frame': Buffer.from([1, 2, 3]),
  zeros: Buffer.alloc(5000),
  'a frame, zeros, and what is not in its place': Buffer.concat([torn(Buffer.alloc(40)), Buffer.alloc(40_000, 'abc')])
}

for (const [what, bytes] of Object.entries(interrupted)) {
  for (const file of [/^MANIFEST/, /\.log$/]) {
    t.test(`${what} at the end of ${file} is a write that was interrupted: nothing is lost`, async (t) => {
      const path = await killed(t)
      appendFileSync(fileOf(path, file), bytes)
      for (let start = 0; start < 2; start += 1) {
        const store = await Store.open(path, options)
        t.same(store.keys('chassis'), ['1', '2'])
        t.equal(store.loss, undefined)
        await store.close()
      }
    })
  }
}

t.test('a bit of a manifest before a whole record is damage', async (t) => {
  const path = await killed(t)
  const file = fileOf(path, /^MANIFEST/)
  const bytes = readFileSync(file)
  bytes[9]! ^= 1
  writeFileSync(file, bytes)
  const store = await Store.open(path, options)
  t.same(store.keys('chassis'), ['1'])
  t.match(store.loss, { cause: /MANIFEST-\d+ is damaged/, source: 'Copy' })
  await store.close()
})

t.test('if CURRENT names the previous manifest, whose files are missing, the newer one is used', async (t) => {
  const path = await killed(t)
  const number = Number(/\d+$/.exec(fileOf(path, /^MANIFEST/)))
  writeFileSync(join(path, 'CURRENT'), `MANIFEST-${String(number - 1).padStart(6, '0')}\n`)
  const store = await Store.open(path, options)
  t.same(store.keys('chassis'), ['1', '2'])
  t.equal(store.loss, undefined)
  await store.close()
})

t.test('a copy is made before the first write is acknowledged', async (t) => {
  const path = join(directory(), 'store')
  const store = await Store.open(path, options)
  t.teardown(() => store.close())
  const copy = new Checkpoint(`${path}.checkpoint`).read()
  t.equal(copy?.isBlank, false)
  t.ok(copy?.entries().some(([key]) => key === '=starts'))
})

t.test('a first start that was interrupted is no damage', async (t) => {
  const path = join(directory(), 'store')
  new Checkpoint(`${path}.checkpoint`).begin()
  mkdirSync(path)
  writeFileSync(join(path, 'CURRENT'), 'MANIFEST-000001\n')
  const store = await Store.open(path, options)
  t.equal(store.loss, undefined)
  await store.commit({ chassis: { 1: { locating: true } } })
  await store.close()
})

t.test('a loss is kept until its event is sent, also across a power failure', async (t) => {
  const path = join(directory(), 'store')
  mkdirSync(path)
  writeFileSync(join(path, 'CURRENT'), 'x')
  const store = await Store.open(path, options)
  t.match(store.loss, { cause: /CURRENT was damaged$/, source: 'New' })
  await store.close()
  const again = await Store.open(path, options)
  t.match(again.loss, { cause: /CURRENT was damaged$/, source: 'New' })
  await again.close()
})

t.test('without CURRENT, a store loses nothing', async (t) => {
  const path = join(directory(), 'store')
  for (const damage of [unlinkSync, (file: string) => writeFileSync(file, 'MANIFEST-999999\n')]) {
    let store = await Store.open(path, options)
    await store.commit({ chassis: { 1: { locating: true } } })
    await store.close()
    damage(join(path, 'CURRENT'))
    store = await Store.open(path, options)
    t.same(store.keys('chassis'), ['1'])
    t.match(store.loss, { cause: /store\/CURRENT was (damaged|not there)$/, source: 'Rest' })
    await store.close()
  }
})

t.test('a store that lost files is not taken for an older one', async (t) => {
  const path = join(directory(), 'store')
  let store = await Store.open(path, options)
  await store.commit({ chassis: { 1: { locating: true } } })
  await store.close()
  for (const name of readdirSync(path).filter((each) => each.endsWith('.log'))) unlinkSync(join(path, name))
  store = await Store.open(path, options)
  t.same(store.keys('chassis'), ['1'])
  t.equal(store.loss?.source, 'Copy')
  await store.close()
})

t.test('a table that LevelDB has not finished is not vouched for: another one may have its number', async (t) => {
  const path = directory()
  for (const locating of [true, false]) {
    const store = await Store.open(path, options)
    await store.commit({ chassis: { 1: { locating } } })
    await store.close()
  }
  const finished = readdirSync(path).filter((name) => name.endsWith('.ldb'))
  writeFileSync(join(path, '009999.ldb'), 'the beginning of a table')
  vouchForTables(path)
  const vouched = readFileSync(join(path, 'tables.sha256'), 'utf8')
  for (const name of finished) t.match(vouched, `  ${name}\n`)
  t.notMatch(vouched, '009999.ldb')
  writeFileSync(join(path, '009999.ldb'), 'another table')
  const again = await Store.open(path, options)
  t.equal(again.loss, undefined)
  t.same(again.get('chassis', '1'), { locating: false })
  await again.close()
})

t.test('with both the store and its copy damaged, it starts empty and reports it', async (t) => {
  const path = join(directory(), 'store')
  let store = await Store.open(path, options)
  await store.commit({ chassis: { 1: { locating: true } } })
  await store.close()
  for (const name of readdirSync(path)) writeFileSync(join(path, name), 'x')
  writeFileSync(`${path}.checkpoint`, 'x')
  store = await Store.open(path, options)
  t.same(store.keys('chassis'), [])
  t.match(store.loss, { source: 'New', at: undefined })
  rmSync(`${path}.loss`)
  await store.commit({ chassis: { 2: { locating: true } } })
  await store.close()
  store = await Store.open(path, options)
  t.same(store.keys('chassis'), ['2'])
  t.equal(store.loss, undefined)
  await store.close()
})

t.test('a store of the format before is taken over', async (t) => {
  const path = join(directory(), 'store')
  const level = new Level<string, string>(path)
  await level.batch([
    { type: 'put', key: '=format', value: '1' },
    { type: 'put', key: '=starts', value: '3' },
    { type: 'put', key: 'chassis/1', value: '{"r":5,"v":{"locating":true}}' }
  ])
  await level.close()
  for (let start = 0; start < 2; start += 1) {
    const store = await Store.open(path, options)
    t.same(store.get('chassis', '1'), { locating: true })
    t.equal(store.loss, undefined)
    await store.close()
  }
})

t.test('a store of a newer version gives way to the copy that this one left', async (t) => {
  const path = join(directory(), 'store')
  let store = await Store.open(path, options)
  await store.commit({ chassis: { 1: { locating: true } } })
  await store.close()
  const level = new Level<string, string>(path)
  await level.batch([
    { type: 'put', key: '=format', value: '3' },
    { type: 'put', key: 'chassis/2', value: 'of a later version' }
  ])
  await level.close()
  store = await Store.open(path, options)
  t.same(store.keys('chassis'), ['1'])
  t.match(store.loss, { cause: /is of a newer version$/, source: 'Copy' })
  await store.close()
  t.ok(readdirSync(`${path}.damaged`).length > 0, 'it is kept')
})

t.test('a file in place of the directory is refused with one line', async (t) => {
  const path = join(directory(), 'file')
  writeFileSync(path, '')
  const refused = await Store.open(path, options).catch((error: Error) => error)
  t.type(refused, StoreError)
  t.notMatch((refused as Error).message, /\n/)
})

t.test('a listener of a table is called for each record, once all of the commit can be read', async (t) => {
  const store = await Store.open(directory(), options)
  const heard: unknown[] = []
  const stop = store.on('chassis', (key) => {
    heard.push([key, store.get('chassis', key), store.get('chassis', '2'), store.revisions.of('chassis/2')])
  })
  store.on('session', (key) => heard.push(key))
  await store.commit({ chassis: { 1: { locating: true }, 2: { locating: false } }, task: { a: { percent: 1 } } })
  const at = store.revisions.of('chassis/2')
  const second = { locating: false }
  t.same(heard.splice(0), [
    ['1', { locating: true }, second, at],
    ['2', second, second, at]
  ])
  await store.commit({ chassis: { 1: null } })
  t.same(heard.splice(0), [['1', undefined, second, at]], 'a removal is told as well')
  await store.commit({ chassis: { 1: { locating: true } } }, () => false)
  t.same(heard, [], 'what was not written is not told')
  stop()
  await store.commit({ chassis: { 2: null } })
  t.same(heard, [])
  await store.close()
})

t.test('a database of many stores continues after an interrupted write to its manifest', async (t) => {
  const path = join(directory(), 'store')
  let database = await SharedDatabase.open(path, options)
  await database.write('a', [{ key: 'chassis/1', value: '{}' }])
  await database.close()
  appendFileSync(fileOf(path, /^MANIFEST/), interrupted['a record of which a part is zeros'] ?? '')
  database = await SharedDatabase.open(path, options)
  t.same(await database.entries('a'), [['chassis/1', '{}']])
  await database.close()
})

t.test('a record that names a missing table counts as interrupted if the previous table exists', async (t) => {
  const path = join(directory(), 'store')
  let store = await Store.open(path, options)
  await store.close()
  cpSync(path, `${path}-closed`, { recursive: true })
  store = await Store.open(path, options)
  await store.commit({ chassis: { 1: { locating: true } } })
  // LevelDB begins a new log, and names the table of the log before in a record of its manifest.
  cpSync(path, `${path}-before`, { recursive: true })
  cpSync(`${path}.checkpoint`, `${path}-before.checkpoint`)
  const manifest = readFileSync(fileOf(path, /^MANIFEST/))
  await store.commit({ chassis: { 2: { locating: true, filler: 'x'.repeat(80_000) } } } as never)
  await store.commit({ chassis: { 3: { locating: true } } })
  const named = () => readFileSync(fileOf(path, /^MANIFEST/))
  while (named().length === manifest.length) await new Promise((settle) => setImmediate(settle))
  writeFileSync(fileOf(`${path}-before`, /^MANIFEST/), named())
  await store.close()
  // Neither is the rename of CURRENT there, but the removal of what only the manifest before needs is.
  const older = fileOf(`${path}-closed`, /^MANIFEST/)
  cpSync(`${path}-before`, `${path}-unnamed`, { recursive: true })
  cpSync(`${path}-before.checkpoint`, `${path}-unnamed.checkpoint`)
  cpSync(older, join(`${path}-unnamed`, basename(older)))
  writeFileSync(join(`${path}-unnamed`, 'CURRENT'), `${basename(older)}\n`)
  for (const each of ['before', 'unnamed']) {
    store = await Store.open(`${path}-${each}`, options)
    t.same(store.keys('chassis'), ['1'], each)
    t.equal(store.loss, undefined)
    await store.close()
  }
})

t.test('a start is cut off that has removed the newest log and not yet renamed CURRENT: nothing is lost', async (t) => {
  const path = join(directory(), 'store')
  let store = await Store.open(path, options)
  t.teardown(() => store.close())
  await store.commit({ chassis: { 1: { locating: true, filler: 'x'.repeat(80_000) } } } as never)
  // The service is killed after LevelDB has begun a second log, and before it has written a table of the first.
  const cut = `${path}-cut`
  cpSync(path, cut, { recursive: true })
  await store.commit({ chassis: { 2: { locating: true } } })
  cpSync(`${path}.checkpoint`, `${cut}.checkpoint`)
  const logs = readdirSync(path).filter((name) => name.endsWith('.log'))
  const second = logs.at(-1) ?? ''
  t.notOk(readdirSync(cut).includes(second))
  cpSync(join(path, second), join(cut, second))
  await store.close()
  // The power fails in the next start.
  const next = `${path}-next`
  cpSync(cut, next, { recursive: true })
  const level = new Level(next)
  await level.open()
  t.notOk(readdirSync(next).includes(second))
  const isNew = (name: string) => !readdirSync(cut).includes(name)
  for (const name of readdirSync(next).filter(isNew)) cpSync(join(next, name), join(cut, name))
  await level.close()
  unlinkSync(join(cut, second))
  store = await Store.open(cut, options)
  t.same(store.keys('chassis'), ['1', '2'])
  t.equal(store.loss, undefined)
})

for (const [when, end] of [
  ['a start', async (_: Store) => {}],
  ['a while', (store: Store) => store.tend()],
  ['its end', (store: Store) => store.close()]
] as const) {
  t.test(`an empty log is detected if it was not empty after ${when}`, async (t) => {
    const path = join(directory(), 'store')
    let store = await Store.open(path, options)
    await store.commit({ chassis: { 1: { locating: true } } })
    await store.close()
    const copied = readFileSync(`${path}.checkpoint`)
    store = await Store.open(path, options)
    if (when !== 'a start') await store.commit({ chassis: { 2: { locating: true } } })
    await end(store)
    cpSync(path, `${path}-cut`, { recursive: true })
    cpSync(`${path}.receipt`, `${path}-cut.receipt`)
    writeFileSync(`${path}-cut.checkpoint`, copied)
    await store.close()
    truncateSync(fileOf(`${path}-cut`, /\.log$/))
    store = await Store.open(`${path}-cut`, options)
    t.same(store.keys('chassis'), ['1'])
    t.match(store.loss, { cause: `${path}-cut lacks its ${when === 'a start' ? 1 : 2} newest changes`, source: 'Rest' })
    await store.close()
    rmSync(`${path}-cut.loss`, { force: true })
    store = await Store.open(`${path}-cut`, options)
    t.equal(store.loss, undefined, 'once')
    await store.close()
  })
}
