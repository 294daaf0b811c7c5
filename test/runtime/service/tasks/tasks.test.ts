import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import { readBoard } from '#runtime/command/board-file.ts'
import { Events } from '#runtime/service/events/events.ts'
import { Hardware } from '#runtime/service/machine/machine.ts'
import { Tasks } from '#runtime/service/tasks/tasks.ts'
import { openDocuments } from '#runtime/store/documents.ts'
import { Store } from '#runtime/store/store.ts'

const documents = openDocuments(readFileSync('dist/documents.bin'))
const board = readBoard('sim', documents, {})
const time = '2025-06-01T12:00:00.000Z'
const parts = ['storage/nvme', 'settings', 'variables', 'controller', 'log']
const task = {
  system: '1',
  state: 'Running',
  user: 'admin',
  parts,
  done: 0,
  startedAt: '2025-06-01T11:00:00.000Z',
  endedAt: ''
} as const

/** A worker of tasks over a directory, which does each part at once. */
async function open(directory: string, partTime = 0) {
  const store = await Store.open(`${directory}/store`, configuration.store)
  const devices = {
    power: new Map(),
    indicators: new Map(),
    ports: new Map(),
    nvram: new Map(),
    sensors: new Map(),
    media: new Map(),
    firmware: new Map(),
    consoles: new Map(),
    close: async () => {}
  }
  const machine = new Hardware(board, devices, store, documents)
  const now = () => Date.parse(time)
  const tasks = new Tasks(store, machine, new Events(store, board, configuration, now), partTime, now)
  return {
    store,
    tasks,
    async close() {
      await tasks.close()
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
  const { store, tasks } = await opened(t)
  await store.commit({
    system: { 1: { assetTag: 'rack 7' } },
    storage: { '1/nvme': { rebuildRate: 80 } },
    variable: { '1/guid/Boot0001': { attributes: 7, data: '00' }, '2/guid/Boot0001': { attributes: 7, data: '00' } },
    biosCurrent: { 1: { attributes: { QuietBoot: false }, passwords: { User: 'hash' }, transferredAt: time } },
    biosPending: { 1: { attributes: { QuietBoot: true } } },
    logEntry: { 'Systems/1/SystemLog/0000000007': { text: 'It rains.' } },
    task: { a1: task }
  })
  await tasks.finished('1')
  t.match(store.get('task', 'a1'), { state: 'Completed', done: 5, endedAt: time })
  t.same(store.get('storage', '1/nvme')?.volumes, {})
  t.equal(store.get('system', '1'), undefined)
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

t.test('a service that starts again goes on with the part that was not done', async (t) => {
  const directory = t.testdir()
  const first = await open(directory, 1e9)
  await first.store.commit({ storage: { '1/nvme': { rebuildRate: 80 } }, task: { a1: { ...task, done: 1 } } })
  await first.close()
  const second = await open(directory)
  t.teardown(() => second.close())
  t.match(second.store.get('task', 'a1'), { state: 'Running', done: 1 })
  second.tasks.open()
  await second.tasks.finished('1')
  t.match(second.store.get('task', 'a1'), { state: 'Completed', done: 5 })
  t.same(second.store.get('storage', '1/nvme'), { rebuildRate: 80 }, 'what was done before is not done again')
})

t.test('a system that no task works on is not waited for', async (t) => {
  const directory = t.testdir()
  const { store, tasks, close } = await open(directory, 1e9)
  await store.commit({ task: { a1: task, b2: { ...task, system: '2', state: 'Completed' } } })
  await tasks.finished('2')
  t.match(store.get('task', 'a1'), { done: 0 })
  await close()
})

t.test('a task that fails has its message, and sends an event', async (t) => {
  const { store, tasks } = await opened(t)
  await store.commit({ task: { a1: { ...task, system: '7', parts: ['settings'] } } })
  await tasks.finished('7')
  t.match(store.get('task', 'a1'), { state: 'Exception', done: 0, endedAt: time })
  const [key = ''] = store.keys('event')
  t.match(store.get('event', key), { messageId: /TaskAborted$/, severity: 'Critical' })
})
