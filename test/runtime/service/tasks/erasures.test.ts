import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import type { Drive } from '#hal/drives.ts'
import { readBoard } from '#runtime/command/board-file.ts'
import type { Writes } from '#runtime/contract'
import { Events } from '#runtime/service/events/events.ts'
import { Hardware } from '#runtime/service/machine/machine.ts'
import { Erasures } from '#runtime/service/tasks/erasures.ts'
import { Tasks } from '#runtime/service/tasks/tasks.ts'
import { openDocuments } from '#runtime/store/documents.ts'
import { Store } from '#runtime/store/store.ts'

const documents = openDocuments(readFileSync('dist/documents.bin'))
const board = readBoard('sim', documents)
const time = '2025-06-01T12:00:00.000Z'
const parts = ['storage/nvme', 'settings', 'variables', 'controller', 'log']
const erasure = { system: '1', parts, done: 0 }
const task = {
  name: 'Secure erase of system 1',
  state: 'Running',
  user: 'admin',
  percent: 0,
  messages: [],
  startedAt: '2025-06-01T11:00:00.000Z',
  endedAt: ''
} as const

/** The worker of erasures over a directory, which does each part at once. */
async function open(directory: string, partTime = 0, drives: ReadonlyMap<string, Drive> = new Map()) {
  const store = await Store.open(`${directory}/store`, configuration.store)
  const devices = {
    power: new Map(),
    indicators: new Map(),
    ports: new Map(),
    nvram: new Map(),
    sensors: new Map(),
    powerLimits: new Map(),
    eventLogs: new Map(),
    media: new Map(),
    firmware: new Map(),
    consoles: new Map(),
    postCodes: new Map(),
    bios: new Map(),
    bootOverrides: new Map(),
    networks: new Map(),
    watchdogs: new Map(),
    dumps: new Map(),
    drives,
    close: async () => {}
  }
  const machine = new Hardware(board, devices, store, documents)
  const now = () => Date.parse(time)
  const tasks = new Tasks(store, new Events(store, board, configuration, now), now)
  const erasures = new Erasures(store, machine, tasks, partTime, now, drives)
  return {
    store,
    erasures,
    async close() {
      await erasures.close()
      await store.close()
    }
  }
}

async function opened(t: Test) {
  const service = await open(t.testdir())
  t.teardown(() => service.close())
  return service
}

t.test('an erasure is carried out part by part, and says how far it is', async (t) => {
  const { store, erasures } = await opened(t)
  await store.commit({
    system: { 1: { assetTag: 'rack 7' } },
    hostWatchdog: { 1: { enabled: true } },
    storage: { '1/nvme': { rebuildRate: 80 } },
    variable: { '1/guid/Boot0001': { attributes: 7, data: '00' }, '2/guid/Boot0001': { attributes: 7, data: '00' } },
    biosCurrent: { 1: { attributes: { QuietBoot: false }, passwords: { User: 'hash' }, transferredAt: time } },
    biosPending: { 1: { attributes: { QuietBoot: true } } },
    logEntry: { 'Systems/1/SystemLog/0000000007': { text: 'It rains.' } },
    task: { a1: task },
    erasure: { a1: erasure }
  })
  await erasures.finished('1')
  t.match(store.get('task', 'a1'), { state: 'Completed', percent: 100, endedAt: time })
  t.equal(store.get('erasure', 'a1'), undefined)
  t.same(store.get('storage', '1/nvme')?.volumes, {})
  t.same([store.get('system', '1'), store.get('hostWatchdog', '1')], [undefined, undefined])
  t.same(store.keys('variable'), ['2/guid/Boot0001'])
  t.match(store.get('hostPending', '1'), { clearing: 'All' })
  t.match(store.get('biosCurrent', '1'), { attributes: { QuietBoot: true }, passwords: {} })
  t.same(store.keys('biosPending'), [])
  t.same(store.get('controllerPending', 'ResetToFactoryDefaults'), { user: 'admin', preserved: [] })
  t.same(store.keys('logEntry'), ['Systems/1/SystemLog/0000000008'])
  const told = store.keys('event').map((key) => store.get('event', key))
  t.same(
    told.map((each) => each?.messageId.split('.').at(-1)),
    [...parts.slice(1).map(() => 'TaskProgressChanged'), 'TaskCompletedOK', 'SecureEraseFinished']
  )
  t.same(told[1]?.args, ['a1', '40'])
})

t.test('a restarted service continues with the unfinished part', async (t) => {
  const directory = t.testdir()
  const first = await open(directory, 1e9)
  const underWay = { task: { a1: { ...task, percent: 20 } }, erasure: { a1: { ...erasure, done: 1 } } }
  await first.store.commit({ storage: { '1/nvme': { rebuildRate: 80 } }, ...underWay })
  await first.close()
  const second = await open(directory)
  t.teardown(() => second.close())
  t.match(second.store.get('task', 'a1'), { state: 'Running', percent: 20 })
  await second.erasures.open()
  await second.erasures.finished('1')
  t.match(second.store.get('task', 'a1'), { state: 'Completed', percent: 100 })
  t.same(second.store.get('storage', '1/nvme'), { rebuildRate: 80 }, 'what was done before is not done again')
})

t.test(
  'work on a drive says how far it is, changes nothing that is stored, and continues after a restart',
  async (t) => {
    const directory = t.testdir()
    const first = await open(directory, 1e9)
    const work = { system: '1', parts: Array(4).fill('drive/slot3/6'), done: 1, hostRuns: true }
    await first.store.commit({ storage: { '1/slot3': { rebuildRate: 80 } }, task: { a1: task }, erasure: { a1: work } })
    await first.erasures.finished('1')
    t.match(first.store.get('erasure', 'a1'), { done: 1 }, 'the host does not wait for it')
    await first.close()
    const percents: number[] = []
    const erasedAfter: (readonly number[])[] = []
    const drive: Drive = { erase: async () => void erasedAfter.push([...percents]), close: async () => undefined }
    const second = await open(directory, 0, new Map([['1/slot3/6', drive]]))
    t.teardown(() => second.close())
    await second.erasures.open()
    await new Promise<void>((resolve) =>
      second.store.on('task', () => {
        const { percent = 0, endedAt = '' } = second.store.get('task', 'a1') ?? {}
        percents.push(percent)
        if (endedAt !== '') resolve()
      })
    )
    t.same(percents, [50, 75, 100])
    t.same(erasedAfter, [[50, 75]], 'a drive that has a device is erased once, at the last step')
    t.same(second.store.get('storage', '1/slot3'), { rebuildRate: 80 })
    const sent = second.store.keys('event').map((key) => second.store.get('event', key)?.messageId ?? '')
    t.match(sent.at(-1), /DriveErased$/)
  }
)

t.test('a system that no task works on is not waited for', async (t) => {
  const directory = t.testdir()
  const { store, erasures, close } = await open(directory, 1e9)
  await store.commit({ task: { a1: task }, erasure: { a1: erasure } })
  await erasures.finished('2')
  t.match(store.get('erasure', 'a1'), { done: 0 })
  await close()
})

t.test('a task that fails has its message, and sends an event', async (t) => {
  const { store, erasures } = await opened(t)
  await store.commit({ task: { a1: task }, erasure: { a1: { system: '7', parts: ['settings'], done: 0 } } })
  await erasures.finished('7')
  t.match(store.get('task', 'a1'), { state: 'Exception', percent: 0, endedAt: time })
  const [key = ''] = store.keys('event')
  t.match(store.get('event', key), { messageId: /TaskAborted$/, severity: 'Critical' })
  t.same(store.keys('erasure'), [], 'the next process does not begin it again')
})

t.test(
  'a task whose failure the disk refuses to store, too, costs lines of the log and begins anew later',
  async (t) => {
    const { store, erasures } = await opened(t)
    const lines: unknown[] = []
    t.capture(store.log, 'error', (...line: unknown[]) => void lines.push(line))
    const { commit } = store
    await store.commit({ task: { a1: task }, erasure: { a1: erasure } })
    let refusals = 0
    store.commit = async () => {
      refusals += 1
      throw new Error(`refusal ${refusals}`)
    }
    await erasures.finished('1')
    store.commit = commit
    t.same(lines, [
      ['a task failed', { id: 'a1', cause: 'refusal 1' }],
      ['refusal 2', { id: 'a1' }]
    ])
    t.match(store.get('task', 'a1'), { state: 'Running' })
    await erasures.open()
    await erasures.finished('1')
    t.match(store.get('task', 'a1'), { state: 'Completed' })
  }
)

t.test('a disk that refuses what is left of an earlier version costs a line of the log', async (t) => {
  const { store, erasures } = await opened(t)
  const lines = t.capture(store.log, 'error', () => {})
  t.capture(store, 'commit', async () => {
    throw new Error('no space')
  })
  await erasures.open()
  t.same(
    lines().map(({ args }) => args),
    [['erasures that an earlier version started were not continued', { cause: 'no space' }]]
  )
})

t.test('simulated work erases nothing, and says so', async (t) => {
  const { store } = await opened(t)
  const simulated = { system: '', parts: ['simulated', 'simulated'], done: 0, hostRuns: true }
  await store.commit({ system: { 1: { assetTag: 'rack 7' } }, task: { a1: task }, erasure: { a1: simulated } })
  while (store.get('erasure', 'a1') !== undefined) await new Promise((resolve) => setImmediate(resolve))
  t.match(store.get('task', 'a1'), { state: 'Completed', percent: 100 })
  t.same(store.get('system', '1'), { assetTag: 'rack 7' })
  const sent = store.keys('event').map((key) => store.get('event', key)?.messageId.split('.').at(-1))
  t.same(sent, ['TaskProgressChanged', 'TaskCompletedOK'])
})

t.test('an erasure of an earlier version is shown as before, and continues', async (t) => {
  const { state, user, startedAt } = task
  const former = { system: '1', state, user, parts, done: 3, startedAt, endedAt: '' }
  const ended = { ...former, state: 'Exception', parts: ['settings', 'log'], done: 1, endedAt: time }
  const directory = t.testdir()
  const first = await open(directory, 1e9)
  await first.store.commit({ task: { a1: former, b2: ended } } as Writes)
  await first.erasures.open()
  t.match(first.store.get('task', 'a1'), { ...task, percent: 60, needsReset: true })
  t.match(first.store.get('task', 'b2'), { name: task.name, state: 'Exception', percent: 50, needsReset: false })
  t.same(first.store.keys('erasure'), ['a1'])
  await first.close()
  const second = await open(directory)
  t.teardown(() => second.close())
  await second.erasures.open()
  await second.erasures.finished('1')
  t.match(second.store.get('task', 'a1'), { state: 'Completed', percent: 100 })
  t.same(second.store.get('controllerPending', 'ResetToFactoryDefaults'), { user: 'admin', preserved: [] })
  t.equal(second.store.get('storage', '1/nvme'), undefined, 'what was done before is not done again')
})
