import { spawn } from 'node:child_process'
import { type EventEmitter, once } from 'node:events'
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Level as ClassicLevel } from 'level'
import t, { type Test } from 'tap'
import { dropIn, passesUnderSanitizers, sanitized, skip } from './dropIn.ts'
import { binaries, type Command, onNode, output } from './program.ts'

const { Level } = skip ? await import('level') : ((await dropIn('level', 'leveldb')) as { Level: typeof ClassicLevel })
const test = (title: string, body: (t: Test) => void | Promise<void>) => t.test(title, { skip }, async (t) => body(t))
/** The binaries are not the addon: a run under sanitizers has nothing to say about them. */
const hosts = sanitized ? [] : binaries

/** A folder of its own. Unlike tap's, it can be removed under a store that a test has left open. */
function temporary(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'minnow-store-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

test('it passes the suite of abstract-level', async (t) => {
  const require = createRequire(import.meta.url)
  const harness = require('tape').createHarness({ autoclose: true })
  const rows: EventEmitter = harness.createStream({ objectMode: true })
  const folder = temporary(t)
  require('abstract-level/test')({
    test: harness,
    factory: (options?: object) => new Level(mkdtempSync(join(folder, 'db-')), options)
  })
  let passed = 0
  let title = ''
  rows.on('data', (row: { type: string; ok: boolean; name: string }) => {
    if (row.type === 'test') title = row.name
    else if (row.type === 'assert' && !row.ok) t.fail(`${title}: ${row.name}`)
    else if (row.type === 'assert') passed++
  })
  await once(rows, 'end')
  t.ok(passed > 5000, `${passed} assertions`)
})

test('close waits for the writes under way', async (t) => {
  const folder = t.testdir()
  const db = new Level(folder)
  await db.open()
  const writes = Array.from({ length: 50 }, (_, index) => db.put(`key ${index}`, 'x'.repeat(10_000)))
  await db.close()
  await Promise.all(writes)
  const again = new Level(folder)
  t.equal((await again.keys().all()).length, 50)
  await again.close()
})

test('close takes open iterators and snapshots with it', async (t) => {
  const db = new Level(t.testdir())
  await db.put('a', '1')
  const iterator = db.iterator()
  await iterator.next()
  const snapshot = db.snapshot()
  await db.put('a', '2')
  t.equal(db.getSync('a', { snapshot } as object), '1')
  await db.close()
  await t.rejects(iterator.next(), { code: 'LEVEL_ITERATOR_NOT_OPEN' })
  t.throws(() => snapshot.ref(), { code: 'LEVEL_SNAPSHOT_NOT_OPEN' })
})

test('a store opens again after it was closed', async (t) => {
  const db = new Level(t.testdir())
  await db.put('a', '1')
  await db.close()
  await db.open()
  t.equal(db.getSync('a'), '1')
  await db.close()
})

test('a key or a value may have any bytes and any length', async (t) => {
  const db = new Level<Uint8Array, Uint8Array>(t.testdir(), { keyEncoding: 'view', valueEncoding: 'view' })
  const lengths = [
    0,
    1,
    ...Array.from({ length: 30 }, (_, index) => 35 + index),
    123,
    124,
    125,
    127,
    128,
    129,
    300,
    70_000
  ]
  const bytes = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 255)
  const text = (length: number) =>
    Array.from({ length }, (_, index) => ['x', 'ä', '€', '😀'][(index + length) % 4]).join('')
  const strings = { keyEncoding: 'utf8', valueEncoding: 'utf8' }
  for (const length of lengths) {
    await db.put(bytes(length), bytes(length))
    await db.put<string, string>(`t${text(length)}`, text(length), strings)
  }
  const wrong = lengths.filter((length) => db.getSync<string, string>(`t${text(length)}`, strings) !== text(length))
  t.same(wrong, [], 'lengths of text that came back otherwise')
  for (const length of lengths) {
    t.same([...db.getSync(bytes(length))!], [...bytes(length)], `${length} bytes`)
  }
  await db.close()
})

test('entries that are read in many pieces are all there', async (t) => {
  const db = new Level(t.testdir(), { cacheSize: 0, blockSize: 1024, compression: false })
  const entries = Array.from({ length: 3000 }, (_, index) => [String(index).padStart(5, '0'), 'v'.repeat(index % 300)])
  await db.batch(entries.map(([key, value]) => ({ type: 'put', key: key!, value: value! })))
  t.same(await db.iterator().all(), entries)
  t.same(await db.iterator({ reverse: true }).all(), entries.toReversed?.() ?? [...entries].reverse())
  t.same(await db.values({ gt: '00009', lte: '00011' }).all(), ['v'.repeat(10), 'v'.repeat(11)])
  await db.clear({ gte: '01000', limit: 1500 })
  t.equal((await db.keys().all()).length, 1500)
  await db.clear()
  t.same(await db.keys().all(), [])
  await db.close()
})

/** Programs that use a store, by host. */
async function built(program: (typeof binaries)[number]): Promise<{ node: Command; binary: Command }> {
  return { node: await onNode.build('store'), binary: await program.build('store') }
}

for (const program of hosts) {
  t.test(`the ${program.host} and classic-level read each other's files`, { skip: program.skip }, async (t) => {
    const { node, binary } = await built(program)
    const told: string[] = []
    for (const [title, writer, reader] of [
      ['written by Node.js', node, binary],
      ['written by the binary', binary, node]
    ] as const) {
      const folder = t.testdir()
      await output([...writer, folder, 'fill'])
      t.ok(readdirSync(folder).filter((name) => name.endsWith('.ldb')).length > 0, `${title}: there are tables`)
      const entries = await output([...writer, folder, 'print'])
      t.equal(entries.trim().split('\n').length, 403, `${title}: all entries are there`)
      t.equal(await output([...reader, folder, 'print']), entries, `${title}: the other sees the same`)
      told.push(entries)
    }
    t.equal(told[0], told[1])
  })

  t.test(`the ${program.host} fails with the codes of classic-level`, { skip: program.skip }, async (t) => {
    const { node, binary } = await built(program)
    const expected = JSON.parse(await output([...node, t.testdir(), 'errors']))
    t.same(expected['open twice'], ['LEVEL_DATABASE_NOT_OPEN', 'LEVEL_LOCKED'])
    t.same(JSON.parse(await output([...binary, t.testdir(), 'errors'])), expected)

    const damages: Record<string, (folder: string) => void> = {
      'no line in CURRENT': (folder) => writeFileSync(`${folder}/CURRENT`, 'x'),
      'an invalid manifest': (folder) => {
        for (const name of readdirSync(folder))
          if (name.startsWith('MANIFEST')) writeFileSync(`${folder}/${name}`, 'x'.repeat(500))
      }
    }
    for (const [title, damage] of Object.entries(damages)) {
      const folder = t.testdir()
      await output([...node, folder, 'fill'])
      damage(folder)
      const codes = await output([...node, folder, 'open'])
      t.match(codes, /"LEVEL_DATABASE_NOT_OPEN","LEVEL_(CORRUPTION|IO_ERROR)"/, title)
      t.equal(await output([...binary, folder, 'open']), codes, title)
    }
    // LevelDB 1.23 calls this a corruption, and the older one in classic-level an input/output error.
    const folder = t.testdir()
    await output([...binary, folder, 'fill'])
    writeFileSync(`${folder}/CURRENT`, 'MANIFEST-999999\n')
    t.equal(await output([...binary, folder, 'open']), '["LEVEL_DATABASE_NOT_OPEN","LEVEL_CORRUPTION"]\n')

    const file = `${t.testdir()}/file`
    appendFileSync(file, '')
    t.match(await output([...binary, `${file}/db`, 'open']), /LEVEL_DATABASE_NOT_OPEN/)
  })

  t.test(`writes that the ${program.host} acknowledged survive SIGKILL`, { skip: program.skip }, async (t) => {
    const { binary } = await built(program)
    for (const count of [1, 20, 150, 151, 400]) {
      const folder = temporary(t)
      const acknowledged = await killedAfter(count, [...binary, folder, 'write'])
      const entries = (await output([...binary, folder, 'print']))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)[0] as string)
      const [first, second] = ['a/', 'b/'].map((half) =>
        entries.filter((key) => key.startsWith(half)).map((key) => key.slice(2))
      )
      t.same(first, second, 'each batch is there as a whole')
      const known = new Set(first)
      t.same(
        acknowledged.filter((number) => !known.has(number.padStart(8, '0'))),
        [],
        `all of ${acknowledged.length} are there`
      )
    }
  })
}

/** Kills a program once it has printed `count` lines. @returns all the lines that it printed */
async function killedAfter(count: number, [program, ...words]: Command): Promise<string[]> {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (lines.length === count) child.kill('SIGKILL')
  }
  return lines
}

if (!sanitized) {
  test('and with AddressSanitizer and UBSan', (t) =>
    passesUnderSanitizers(
      t,
      fileURLToPath(import.meta.url),
      /ok \d+ - entries that are read in many pieces are all there/
    ))
}
