import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import type { Task } from '#data/tasks'
import type { Manifest, Update } from '#data/updates'
import { HalError } from '#hal/errors.ts'
import { event, type Machine, message } from '#runtime/contract'
import { Events } from '#runtime/service/events/events.ts'
import { Tasks } from '#runtime/service/tasks/tasks.ts'
import { tens, UpdateError, UpdateRecords } from '#runtime/service/updates/records.ts'
import { Store } from '#runtime/store/store.ts'

const task: Task = {
  ...{ name: 'Update', state: 'Running', user: 'admin', percent: 0, messages: [] },
  ...{ startedAt: '2025-06-01T11:00:00.000Z', endedAt: '' }
}
const update: Update = {
  ...{ stage: 'Writing', author: { user: 'admin' } as unknown as Update['author'] },
  ...{ targets: [], allowed: [], applyTime: 'Immediate' }
}

/** Updates of two hosts and their controller. */
async function open(t: Test) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  const host = (sim as Board).systems[1]!
  const board: Board = { ...(sim as Board), systems: { 1: host, 2: host } }
  const now = () => Date.parse('2025-06-01T12:00:00.000Z')
  const events = new Events(store, board, configuration, now)
  const records = new UpdateRecords(store, { board } as Machine, new Tasks(store, events, now))
  return {
    ...{ store, records },
    add: (id: string, more: Partial<Update>) =>
      store.commit({ task: { [id]: task }, update: { [id]: { ...update, ...more } } }),
    told: () =>
      store.keys('event').map((key) => {
        const { messageId = '', args = [] } = store.get('event', key) ?? {}
        return [messageId.replace(/\.[\d.]+\./, '.'), ...args].join(' ')
      })
  }
}

const manifest = (version: string, minimum?: string): Manifest => ({
  version,
  parts: [],
  ...(minimum !== undefined && { minimum })
})

t.test('progress is in whole tens between its two ends', async (t) => {
  for (const [share, from, to, percent] of [
    [0, 40, 90, 40],
    [0.19, 40, 90, 40],
    [0.2, 40, 90, 50],
    [0.99, 40, 90, 80],
    [1, 40, 90, 90],
    [0.5, 0, 40, 20]
  ] as const)
    t.equal(tens(share, from, to), percent, `${share} of ${from} to ${to}`)
})

t.test('the updates of a host are those of its BIOS', async (t) => {
  const { records, add } = await open(t)
  await add('a', { component: 'Manager-1' })
  await add('b', { component: 'BIOS-1' })
  await add('c', { component: 'BIOS-2' })
  await add('d', {})
  t.same([records.of('Manager-1'), records.ofHost('1'), records.ofHost('2')], [['a'], ['b'], ['c']])
  t.throws(() => records.target('a'), { message: 'the component no longer exists' })
  t.throws(() => records.target('d'), { message: 'the component no longer exists' })
})

t.test('the oldest version that a component takes rises with its updates, and never sinks', async (t) => {
  const { store, records, add, told } = await open(t)
  for (const [id, minimum, floor] of [
    ['a', undefined, undefined],
    ['b', '1.9', '1.9'],
    ['c', '1.10', '1.10'],
    ['d', '1.5', '1.10'],
    ['e', undefined, '1.10']
  ] as const) {
    await add(id, { component: 'BIOS-2', manifest: manifest('3.1', minimum) })
    await records.succeed(id)
    t.equal(store.get('minimumVersion', 'BIOS-2')?.version, floor, id)
    t.match(store.get('task', id), { state: 'Completed', messages: [{ key: 'Update.UpdateSuccessful' }] })
  }
  t.same(store.keys('update'), [])
  const { name } = (sim as Board).systems[1]!
  t.same(told().slice(0, 3), [
    `Update.UpdateSuccessful BIOS of ${name} 3.1`,
    `MgmtEvents.FirmwareUpdated BIOS of ${name} 3.1`,
    'TaskEvent.TaskCompletedOK a'
  ])
})

t.test('an update that fails before its file is known is named by its source', async (t) => {
  const { store, records, add, told } = await open(t)
  const source = 'https://files.example.net/1'
  await add('a', { source })
  await records.fail('a', new Error('it is gone'))
  t.match(store.get('task', 'a'), { state: 'Exception', messages: [{ key: 'Update.ApplyFailed' }] })
  t.same(told(), [
    `Update.ApplyFailed ${source} the controller`,
    `MgmtEvents.FirmwareUpdateFailed the controller ${source}`,
    'TaskEvent.TaskAborted a'
  ])
  t.same(store.keys('update'), [])
})

t.test('of the messages of a task those about updates are events as well', async (t) => {
  const { records, add, told } = await open(t)
  await add('a', { component: 'BIOS-1' })
  const messages = [message('Base.Success'), message('Update.AwaitToActivate', '3.1', 'BIOS')]
  await records.commit('a', () => ({ messages, events: [event('TaskEvent.TaskCompletedOK', '/a', 'a')] }))
  t.same(told(), ['Update.AwaitToActivate 3.1 BIOS', 'TaskEvent.TaskCompletedOK a'])
})

t.test('a failure of the component becomes a message, and any other error stays as it is', async (t) => {
  const { records, add } = await open(t)
  await add('a', { component: 'BIOS-1', manifest: manifest('3.1') })
  const failing = (error: Error) =>
    records.guarded('a', 'Update.ActivateFailed', () => Promise.reject(error)).catch((error: unknown) => error)
  const other = new Error('it is gone')
  t.equal(await failing(other), other)
  const failed = await failing(new HalError('EIO', 'firmware-1: it is stuck'))
  t.ok(failed instanceof UpdateError)
  t.match(failed, {
    message: 'firmware-1: it is stuck',
    messages: [{ key: 'Update.ActivateFailed', args: ['3.1', /BIOS/] }]
  })
})
