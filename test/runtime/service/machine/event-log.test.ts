import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { HalError } from '#hal/errors.ts'
import type { EventLogEntry } from '#hal/event-log.ts'
import { type Event, MessageError } from '#runtime/contract'
import { EventLogs } from '#runtime/service/machine/event-log.ts'
import { Store } from '#runtime/store/store.ts'
import { ownEventLog } from '#test/runtime/event-log.ts'

/** The log of system 1, which another program has. */
async function attached(t: Test) {
  const path = mkdtempSync(join(tmpdir(), 'minnow-store-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  const store = await Store.open(path, { cache: 65536, writeBuffer: 65536, reserve: 0, checkpointEvery: 300 })
  t.teardown(() => store.close())
  const log = ownEventLog()
  const told: Event[] = []
  const emit = (...events: readonly Event[]) => told.push(...events)
  const logs = new EventLogs(store, { emit }, new Map([['1', log]]))
  t.teardown(() => logs.close())
  const put = (...changed: readonly (readonly [number, EventLogEntry | undefined])[]) => log.put(new Map(changed))
  return { store, log, logs, put, told, commit: store.commit.bind(store) }
}

const key = (number: number) => `1/${String(number).padStart(10, '0')}`
const uri = (number: number) => `/redfish/v1/Systems/1/LogServices/EventLog/Entries/${number}`
const fan: EventLogEntry = {
  created: 2000,
  modified: 3000,
  severity: 'Critical',
  text: 'Fan 2 failed.',
  resolved: false,
  data: {}
}
const short = ({ message, origin }: Event) => [message.key, ...message.args, origin]

t.test('entries are records, and a new one is an event by its severity', async (t) => {
  const { store, put, told } = await attached(t)
  t.same(store.keys('machineLogEntry'), [key(1)])
  t.same(told, [], 'those that were there are no events')
  put([2, fan])
  t.same(store.get('machineLogEntry', key(2)), {
    ...fan,
    created: '1970-01-01T00:00:02.000Z',
    modified: '1970-01-01T00:00:03.000Z'
  })
  put([3, { ...fan, severity: 'Warning' }], [4, { ...fan, severity: 'OK' }], [5, { resolved: false, data: {} }])
  t.same(told.map(short), [
    ['MgmtEvents.LogErrorAdded', 'Fan 2 failed.', uri(2)],
    ['MgmtEvents.LogWarningAdded', 'Fan 2 failed.', uri(3)],
    ['MgmtEvents.LogEntryAdded', 'Fan 2 failed.', uri(4)],
    ['MgmtEvents.LogEntryAdded', '', uri(5)]
  ])
})

t.test(
  'changes and removals by another program are events; those by a request, and evicted entries, are not',
  async (t) => {
    const { store, log, put, told, commit } = await attached(t)
    put([1, fan])
    t.same(told.map(short), [['ResourceEvent.ResourceChanged', uri(1)]])
    await commit({ machineLogEntry: { [key(1)]: { resolved: true } } })
    t.match(store.get('machineLogEntry', key(1)), { resolved: true })
    t.equal(told.length, 1)
    put([1, { ...fan, text: 'Fan 2 is back.' }])
    t.equal(told.length, 2)
    put([1, undefined])
    t.equal(store.get('machineLogEntry', key(1)), undefined)
    t.same(told.slice(2).map(short), [['ResourceEvent.ResourceRemoved', uri(1)]])
    put([2, fan], [3, fan])
    put([2, undefined], [4, fan])
    t.same(told.slice(3).map(short)[2], ['MgmtEvents.LogErrorAdded', 'Fan 2 failed.', uri(4)])
    t.equal(told.length, 6)
    put([3, undefined], [5, fan])
    t.equal(told.length, 7, 'the oldest gives way to a new one')
    put([6, fan])
    put([5, undefined], [7, fan])
    t.same(told.slice(-2).map(short), [
      ['ResourceEvent.ResourceRemoved', uri(5)],
      ['MgmtEvents.LogErrorAdded', 'Fan 2 failed.', uri(7)]
    ])
    put([3, fan])
    told.splice(6)
    await commit({ machineLogEntry: { [key(3)]: null } })
    t.equal(told.length, 6)
    t.same(log.asked, ['resolve 1 true', 'remove 3'])
  }
)

t.test('all entries are removed with one request, and some or a single one with one for each', async (t) => {
  const { store, log, put, commit } = await attached(t)
  const remove = (...numbers: number[]) =>
    commit({ machineLogEntry: Object.fromEntries(numbers.map((number) => [key(number), null])) })
  put([2, fan], [3, fan], [4, fan], [5, fan])
  await remove(1, 3)
  await remove(2, 4, 5)
  put([6, fan])
  await remove(6)
  t.same(log.asked, ['remove 1', 'remove 3', 'clear', 'remove 6'])
  t.same(store.keys('machineLogEntry'), [])
})

t.test('of many new entries the newest have events, with texts that are cut', async (t) => {
  const { store, put, told } = await attached(t)
  const lines = t.capture(store.log, 'warning', () => {})
  const text = 'x'.repeat(5000)
  put(...Array.from({ length: 150 }, (_, at) => [at + 2, { ...fan, text }] as const).reverse())
  t.same([told.length, told[0]?.origin, told.at(-1)?.origin], [100, uri(52), uri(151)])
  t.equal(told[0]?.message.args[0], `${'x'.repeat(1000)}…`)
  put([152, { ...fan, text: 'x'.repeat(1000) }])
  t.equal(told.at(-1)?.message.args[0], 'x'.repeat(1000))
  t.same(
    lines().map(({ args }) => args),
    [['entries of the log of the machine have no event', { system: '1', count: 50 }]]
  )
})

t.test('once it is closed, there are no entries', async (t) => {
  const { store, logs, put, told } = await attached(t)
  logs.close()
  put([2, fan])
  t.same([store.keys('machineLogEntry'), told], [[], []])
})

t.test('what the program refuses is refused', async (t) => {
  const { log, commit } = await attached(t)
  log.refuse(new HalError('EIO', 'the daemon refuses'))
  for (const change of [{ resolved: true }, null]) {
    const error = await commit({ machineLogEntry: { [key(1)]: change } }).catch((error: unknown) => error)
    t.type(error, MessageError)
    t.match(error, { status: 503 })
  }
})
