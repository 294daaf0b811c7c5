import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import type { Dump, Dumps } from '#hal/dumps.ts'
import type { EntryChange } from '#hal/entries.ts'
import { HalError } from '#hal/errors.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { readBoard } from '#runtime/command/board-file.ts'
import { MessageError, type Sink } from '#runtime/contract'
import { DumpLogs } from '#runtime/service/dumps/dumps.ts'
import { Events } from '#runtime/service/events/events.ts'
import { Tasks } from '#runtime/service/tasks/tasks.ts'
import { openDocuments } from '#runtime/store/documents.ts'
import { Store } from '#runtime/store/store.ts'
import { openFiles } from '#test/runtime/service/open-files.ts'

const board = readBoard('sim', openDocuments(readFileSync('dist/documents.bin')))
const log = 'Managers/1/Dump'
const key = (number: number) => `${log}/${String(number).padStart(10, '0')}`
const task = {
  name: 'Dump of manager 1',
  state: 'Running',
  user: 'admin',
  percent: 0,
  messages: [],
  startedAt: '2025-06-01T11:00:00.000Z',
  endedAt: ''
} as const
const begun = { task: { a1: task }, dumpCollection: { a1: { log } } }

/** The dumps of a program that is this process. A dump is the file `path`. */
function ownDumps(path: string) {
  const entries = new Map<number, Dump>()
  const listeners = new Listeners<EntryChange>()
  const asked: string[] = []
  let outcome: Promise<number> | undefined
  const dumps: Dumps = {
    entries,
    isAvailable: true,
    collect() {
      asked.push('collect')
      return outcome ?? Promise.reject(new HalError('ENOSPC', 'dumps-1: no room'))
    },
    async open(number) {
      if (!existsSync(path)) throw new HalError('ENODEV', `dumps-1: there is no ${number}`)
      return openSync(path, 'r')
    },
    async remove(number) {
      asked.push(`remove ${number}`)
      put(number, undefined)
    },
    async clear() {
      asked.push('clear')
      for (const number of [...entries.keys()]) put(number, undefined)
    },
    on: (listener) => listeners.add(listener),
    async close() {}
  }
  const put = (number: number, dump: Dump | undefined) => putAll([number], dump)
  /** One change of several dumps. */
  const putAll = (numbers: readonly number[], dump: Dump | undefined) => {
    const added = numbers.filter((number) => !entries.has(number))
    for (const number of numbers) {
      if (dump === undefined) entries.delete(number)
      else entries.set(number, dump)
    }
    listeners.emit({ added, changed: new Set(numbers) })
  }
  /** One that was there before this process knew of any. */
  const find = (number: number, dump: Dump) => {
    entries.set(number, dump)
    listeners.emit({ added: [], changed: new Set([number]) })
  }
  const comes = (number: Promise<number>) => {
    outcome = number
  }
  return { dumps, asked, put, putAll, find, comes }
}

function temporary(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'minnow-dumps-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** The status of a refusal. */
const refused = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => (error instanceof MessageError ? error.status : error)
  )

async function opened(t: Test, directory = temporary(t)) {
  const path = `${directory}/dump`
  const store = await Store.open(`${directory}/store`, configuration.store)
  const now = () => Date.parse('2025-06-01T12:00:00.000Z')
  const events = new Events(store, board, configuration, now)
  const own = ownDumps(path)
  const logs = new DumpLogs(store, events, new Tasks(store, events, now), new Map([['Managers/1', own.dumps]]))
  let isOpen = true
  const close = async () => {
    if (isOpen) logs.close()
    if (isOpen) await store.close()
    isOpen = false
  }
  t.teardown(close)
  const ended = () =>
    new Promise<void>((resolve) => {
      const stop = store.on('task', () => {
        if (store.get('task', 'a1')?.endedAt === '') return
        stop()
        resolve()
      })
    })
  const told = () => store.keys('event').map((each) => store.get('event', each)?.messageId.split('.').at(-1))
  return { ...own, path, store, logs, close, ended, told }
}

/** A client that takes what it has been sent when it is told to. */
function client() {
  let [text, unread, most] = ['', 0, 0]
  let over: (how: string) => void = () => undefined
  const ended = new Promise<string>((resolve) => {
    over = resolve
  })
  const sink: Sink = {
    write(chunk) {
      text += Buffer.from(chunk).toString('latin1')
      unread += chunk.length
      most = Math.max(most, unread)
    },
    unread: () => unread,
    end: () => over('end'),
    cut: () => over('cut')
  }
  const take = () => {
    unread = 0
  }
  return { sink, ended, take, received: () => text, most: () => most }
}

t.test('dumps are records, what another program does is an event, and a request removes one or all', async (t) => {
  const { store, asked, put, told } = await opened(t)
  put(3, { created: 2000, size: 7, isFailed: false })
  t.same(store.get('dump', key(3)), { created: '1970-01-01T00:00:02.000Z', size: 7, isFailed: false })
  while (told().length === 0) await new Promise(setImmediate)
  t.same(told(), ['ResourceCreated'])
  for (const number of [4, 5, 6]) put(number, { size: 7, isFailed: true })
  put(6, undefined)
  while (told().length < 5) await new Promise(setImmediate)
  t.equal(told().at(-1), 'ResourceRemoved')
  await store.commit({ dump: { [key(3)]: null } })
  t.same(store.keys('dump'), [key(4), key(5)])
  await store.commit({ dump: { [key(4)]: null, [key(5)]: null } })
  t.same(store.keys('dump'), [])
  t.equal(told().length, 5)
  for (const number of [7, 8, 9]) put(number, { size: 7, isFailed: true })
  await store.commit({ dump: { [key(7)]: null, [key(8)]: null } })
  await store.commit({ dump: { [key(9)]: null } })
  t.same(asked, ['remove 3', 'clear', 'remove 7', 'remove 8', 'remove 9'], 'all at once only if there is no other')
})

t.test('a dump that was there before is a record, and no news', async (t) => {
  const { store, find, put, told } = await opened(t)
  find(3, { size: 7, isFailed: false })
  put(4, { size: 7, isFailed: false })
  while (told().length === 0) await new Promise(setImmediate)
  t.same(store.keys('dump'), [key(3), key(4)])
  const [first = ''] = store.keys('event')
  t.match(store.get('event', first)?.origin, /\/4$/)
})

t.test('a dump that its program does not remove stays, and the request has failed', async (t) => {
  const { store, dumps, put } = await opened(t)
  put(3, { size: 7, isFailed: false })
  dumps.remove = () => Promise.reject(new HalError('EIO', 'dumps-1: it is stuck'))
  t.equal(await refused(store.commit({ dump: { [key(3)]: null } })), 503)
  t.same(store.keys('dump'), [key(3)])
})

t.test('dumps that come together have events in the order of their numbers', async (t) => {
  const { store, putAll, told } = await opened(t)
  putAll([11, 9, 10], { size: 7, isFailed: false })
  while (told().length < 3) await new Promise(setImmediate)
  const origins = store.keys('event').map((each) => store.get('event', each)?.origin?.split('/').at(-1))
  t.same(origins, ['9', '10', '11'])
})

t.test('of very many dumps that come together the last hundred have events', async (t) => {
  const { store, putAll } = await opened(t)
  const numbers = Array.from({ length: 102 }, (_, index) => index + 1)
  putAll(numbers, { size: 7, isFailed: false })
  while (store.keys('event').length === 0) await new Promise(setImmediate)
  const origins = store.keys('event').map((each) => store.get('event', each)?.origin?.split('/').at(-1))
  t.same(origins, numbers.slice(2).map(String))
})

t.test('a service that has closed neither records nor collects dumps', async (t) => {
  const { store, logs, asked, put } = await opened(t)
  logs.close()
  put(3, { size: 7, isFailed: false })
  await store.commit(begun)
  t.same([store.keys('dump'), store.keys('event'), asked], [[], [], []])
})

t.test('a task ends with the dump that it collects, or fails with it', async (t) => {
  const first = await opened(t)
  let comes: (number: number) => void = () => undefined
  first.comes(
    new Promise((resolve) => {
      comes = resolve
    })
  )
  const completed = first.ended()
  await first.store.commit(begun)
  await first.store.commit(begun)
  t.same(first.asked, ['collect'], 'once')
  comes(7)
  await completed
  t.match(first.store.get('task', 'a1'), { state: 'Completed', percent: 100, name: 'Dump of manager 1: 7' })
  t.same(first.store.keys('dumpCollection'), [])
  t.same(first.told(), ['TaskCompletedOK'])
  const second = await opened(t)
  const lines = t.capture(second.store.log, 'error', () => {})
  const failed = second.ended()
  await second.store.commit(begun)
  await failed
  t.match(
    lines().map(({ args }) => args),
    [['a dump was not collected', { log, cause: 'dumps-1: no room' }]]
  )
  t.match(second.store.get('task', 'a1'), { state: 'Exception' })
  t.same(second.store.keys('dumpCollection'), [])
  t.same(second.told(), ['TaskAborted'])
})

t.test('the log says that the end of a task could not be stored', async (t) => {
  const { store } = await opened(t)
  const commit = store.commit.bind(store)
  const lines: unknown[][] = []
  t.capture(store.log, 'error', (...args: unknown[]) => lines.push(args))
  await commit({ task: { a1: task } })
  t.capture(store, 'commit', async () => {
    throw new Error('the disk is full')
  })
  await commit({ dumpCollection: { a1: { log } } })
  while (lines.length < 2) await new Promise(setImmediate)
  t.match(lines, [['a dump was not collected'], ['the disk is full', { id: 'a1' }]])
  t.match(store.get('task', 'a1'), { state: 'Running' })
})

t.test('a dump that comes to nothing after the end of the service leaves its task alone', async (t) => {
  const { store, logs, comes } = await opened(t)
  const lines = t.capture(store.log, 'error', () => {})
  let fails: (error: Error) => void = () => undefined
  comes(
    new Promise((_, reject) => {
      fails = reject
    })
  )
  await store.commit(begun)
  logs.close()
  fails(new HalError('ENODEV', 'dumps-1: it is gone'))
  await new Promise(setImmediate)
  await store.commit({})
  t.match(store.get('task', 'a1'), { state: 'Running' })
  t.same(lines(), [])
})

t.test('a task whose service ended has failed at its next start', async (t) => {
  const directory = temporary(t)
  const first = await opened(t, directory)
  first.comes(new Promise(() => undefined))
  await first.store.commit(begun)
  await first.close()
  const second = await opened(t, directory)
  t.match(second.store.get('task', 'a1'), { state: 'Running' })
  await second.logs.open()
  t.match(second.store.get('task', 'a1'), { state: 'Exception' })
})

t.test('a dump is sent as fast as its client reads it, whatever its size', async (t) => {
  const { logs, path } = await opened(t)
  const content = Buffer.alloc(3_000_000, 'dump ')
  writeFileSync(path, content)
  const { sink, ended, take, received, most } = client()
  const gone = (await logs.read(key(1)))(sink)
  while (most() === 0) await new Promise(setImmediate)
  for (let rounds = 0; rounds < 100; rounds++) await new Promise(setImmediate)
  const first = received().length
  t.ok(first < 400_000, 'what the client does not read is not in memory')
  const timer = setInterval(take, 1)
  t.equal(await ended, 'end')
  clearInterval(timer)
  t.ok(most() < 400_000)
  t.ok(content.equals(Buffer.from(received(), 'latin1')))
  t.same(openFiles(path), [path])
  gone()
  t.same(openFiles(path), [], 'the file is closed')
})

t.test('a dump ends once its client has read it all', async (t) => {
  const { logs, path } = await opened(t)
  writeFileSync(path, 'dump')
  const { sink, ended, take, received, most } = client()
  const gone = (await logs.read(key(1)))(sink)
  while (most() === 0) await new Promise(setImmediate)
  const later = new Promise((resolve) => setTimeout(() => resolve('not yet'), 30))
  t.equal(await Promise.race([ended, later]), 'not yet')
  take()
  t.same([await ended, received()], ['end', 'dump'])
  gone()
})

t.test('a client that has gone is sent no more of a dump', async (t) => {
  const { logs, path } = await opened(t)
  writeFileSync(path, Buffer.alloc(300_000))
  for (const begins of [false, true]) {
    const { sink, ended, most } = client()
    const gone = (await logs.read(key(1)))(sink)
    while (begins && most() === 0) await new Promise(setImmediate)
    const before = most()
    gone()
    const later = new Promise((resolve) => setTimeout(() => resolve('untouched'), 30))
    t.equal(await Promise.race([ended, later]), 'untouched')
    t.equal(most(), before)
  }
})

t.test('what cannot be read to its end is cut off, and no more than four are read at once', async (t) => {
  const { logs, path } = await opened(t)
  mkdirSync(path)
  const { sink, ended } = client()
  const gone = (await logs.read(key(1)))(sink)
  t.equal(await ended, 'cut', 'a folder is no file')
  for (let count = 0; count < 3; count++) await logs.read(key(1))
  t.equal(await refused(logs.read(key(1))), 503)
  gone()
  gone()
  await logs.read(key(1))
  t.equal(await refused(logs.read(key(1))), 503, 'a client that has gone counts once')
})

t.test('a dump that cannot be opened is 503, and one of no such log 404', async (t) => {
  const { logs } = await opened(t)
  for (let times = 0; times < 5; times++) {
    t.equal(await refused(logs.read('Systems/1/Dump/0000000001')), 404)
    const failed = await logs.read(key(1)).catch((error) => error)
    t.same([failed.status, failed.messages[0].args], [503, ['60']])
  }
})
