// Each noun declares its tables when it is loaded, which the handlers of the product see to.
import '#generated'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import type { Task } from '#data/tasks'
import { message } from '#runtime/contract'
import { Events } from '#runtime/service/events/events.ts'
import { Tasks } from '#runtime/service/tasks/tasks.ts'
import { Store } from '#runtime/store/store.ts'

const now = Date.parse('2025-06-01T12:00:00Z')
const task: Task = {
  ...{ name: 'Update', state: 'Running', user: 'admin', percent: 40, messages: [] },
  ...{ startedAt: '2025-06-01T11:00:00.000Z', endedAt: '' }
}

/** A task that is under way, and the events of each report about it. */
async function open(t: Test) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  const tasks = new Tasks(store, new Events(store, sim as unknown as Board, configuration, () => now), () => now)
  await store.commit({ task: { a1: task } })
  const known = new Set<string>()
  return {
    ...{ store, tasks, task: () => store.get('task', 'a1') },
    told() {
      const keys = store.keys('event').filter((key) => !known.has(key))
      for (const key of keys) known.add(key)
      return keys.map((key) => {
        const { messageId = '', args = [] } = store.get('event', key) ?? {}
        return [messageId.split('.').at(-1), ...args].join(' ')
      })
    }
  }
}

t.test('progress, and a task that begins to wait, are events; more of the same is not', async (t) => {
  const { tasks, task, told } = await open(t)
  for (const [change, expected] of [
    [{ percent: 40 }, []],
    [{ percent: 60 }, ['TaskProgressChanged a1 60']],
    [{ name: 'Update of two' }, []],
    [{ state: 'Pending' }, ['TaskProgressChanged a1 60']],
    [{ state: 'Pending' }, []],
    [{ state: 'Running' }, []],
    [{ state: 'Pending', percent: 95 }, ['TaskProgressChanged a1 95']],
    [{ percent: 96 }, ['TaskProgressChanged a1 96']],
    [undefined, []]
  ] as const) {
    await tasks.commit('a1', () => (change ? { task: change } : {}))
    t.same(told(), expected, JSON.stringify(change))
  }
  t.match(task(), { name: 'Update of two', state: 'Pending', percent: 96, endedAt: '' })
  await tasks.progress('a1', 97)
  t.same([task()?.percent, told()], [97, ['TaskProgressChanged a1 97']])
})

t.test('the end of a task has its time, and no event of progress', async (t) => {
  for (const [state, percent] of [
    ['Completed', 100],
    ['Exception', 50]
  ] as const) {
    await t.test(state, async (t) => {
      const { tasks, task, told } = await open(t)
      await tasks.commit('a1', () => ({ task: { state, percent: 50 } }))
      t.match(task(), { state, percent, endedAt: '2025-06-01T12:00:00.000Z' })
      t.same(told(), [])
    })
  }
})

t.test('messages of a task follow those that it had before', async (t) => {
  const { tasks, task } = await open(t)
  const [first, second] = [message('Base.Success'), message('Mgmt.SystemResetRequired')]
  await tasks.commit('a1', () => ({ messages: [first] }))
  await tasks.progress('a1', 60)
  await tasks.commit('a1', () => ({ messages: [second] }))
  t.same(task()?.messages, [first, second])
})

t.test('after a client has cancelled a task, its work changes nothing', async (t) => {
  const { store, tasks, told } = await open(t)
  await store.commit({ task: { a1: null } })
  await tasks.progress('a1', 60, () => ({ storage: { '1/nvme': { rebuildRate: 80 } } }))
  t.same([store.keys('task'), store.keys('storage'), told()], [[], [], []])
})
