// own process: it starts message buses and services on them

import t, { type Test } from 'tap'
import type { EntryChange } from '#hal/entries.ts'
import type { EventLog } from '#hal/event-log.ts'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(900_000)

const { eventLog } = openbmcDevices()
const root = '/xyz/openbmc_project/logging'
const entry = (number: number) => `${root}/entry/${number}`
const level = 'xyz.openbmc_project.Logging.Entry.Level'

async function opened(t: Test, options: Parameters<typeof OpenbmcSimulator.start>[2] = {}) {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus, options)
  const warnings: string[] = []
  const log = eventLog({ name: 'eventLog-1', socket: bus.socket, warn: (text) => warnings.push(text) })
  t.teardown(() => log.close())
  if (options.without === undefined) await is(log, () => log.entries?.size === 1)
  const create = (text: string, severity: string, ...data: readonly string[]) =>
    bus.busctl(
      ...['call', 'xyz.openbmc_project.Logging', root, 'xyz.openbmc_project.Logging.Create', 'Create', 'ssa{ss}'],
      ...[text, `${level}.${severity}`, String(data.length / 2), ...data]
    )
  return { bus, daemons, log, warnings, create }
}

/** Resolves with the changes that were told until a condition holds. */
function is(log: EventLog, condition: () => boolean): Promise<readonly EntryChange[]> {
  return new Promise((resolve) => {
    const changes: EntryChange[] = []
    const look = () => {
      if (!condition()) return
      stop()
      resolve(changes)
    }
    const stop = log.on((change) => {
      changes.push(change)
      look()
    })
    look()
  })
}

const added = (changes: readonly EntryChange[]) => changes.flatMap((each) => each.added)

t.test('entries are those of the bus, and a new one is told as such', async (t) => {
  const { log, create } = await opened(t)
  const { created = 0, modified, ...rest } = log.entries?.get(1) ?? {}
  t.same(rest, {
    severity: 'OK',
    text: 'xyz.openbmc_project.State.Error.Started',
    resolved: false,
    data: { BOOT: '1' }
  })
  t.ok(Math.abs(Date.now() - created) < 600_000)
  t.equal(modified, created)
  const severities = {
    Emergency: 'Critical',
    Alert: 'Critical',
    Critical: 'Critical',
    Error: 'Critical',
    Warning: 'Warning',
    Notice: 'Warning',
    Informational: 'OK',
    Debug: 'OK'
  }
  const told = is(log, () => log.entries?.size === 9)
  for (const severity of Object.keys(severities)) create(`a ${severity}`, severity, 'A', 'x=y', 'B', '')
  t.same(added(await told), [2, 3, 4, 5, 6, 7, 8, 9])
  t.same(
    [...(log.entries ?? [])].slice(1).map(([, { text, severity, data }]) => [text, severity, data]),
    Object.entries(severities).map(([name, severity]) => [`a ${name}`, severity, { A: 'x=y', B: '' }])
  )
})

t.test('one is resolved and removed, and all are removed at once', async (t) => {
  const { daemons, log, create } = await opened(t)
  for (const text of ['one', 'two', 'three']) create(text, 'Error')
  await is(log, () => log.entries?.size === 4)
  await log.resolve(2, true)
  t.match(log.entries?.get(2), { resolved: true })
  t.ok(await daemons.get(entry(2), 'Logging.Entry', 'Resolved'))
  await log.resolve(2, false)
  t.match(log.entries?.get(2), { resolved: false })
  const told = is(log, () => log.entries?.get(3)?.resolved === true)
  await daemons.set(entry(3), 'Logging.Entry', 'Resolved', true)
  t.same(await told, [{ added: [], changed: new Set([3]) }], 'another program did it')
  await log.remove(3)
  t.same([...(log.entries?.keys() ?? [])], [1, 2, 4])
  await t.rejects(daemons.get(entry(3), 'Logging.Entry', 'Id'))
  await log.clear()
  t.same([...(log.entries ?? [])], [])
  create('four', 'Error')
  await is(log, () => log.entries?.has(5) === true)
  for (const failed of [log.resolve(4, true), log.remove(4)])
    await t.rejects(failed, { code: 'ENODEV', message: 'eventLog-1: the bus has no entry 4' })
})

t.test('what the daemon refuses is a failure, and what it keeps stays', async (t) => {
  const { daemons, log } = await opened(t)
  const refuse = (path: string, name: string, member: string) =>
    daemons.fail(path, name, member, 'Common.Error.Unavailable')
  await refuse(entry(1), 'Logging.Entry', 'Resolved')
  await t.rejects(log.resolve(1, true), { name: 'HalError' })
  await refuse(entry(1), 'Object.Delete', 'Delete')
  await t.rejects(log.remove(1), { name: 'HalError' })
  await refuse(root, 'Collection.DeleteAll', 'DeleteAll')
  await t.rejects(log.clear(), { name: 'HalError' })
  t.match(log.entries?.get(1), { resolved: false })
})

t.test('values of other types are absent, and objects of other names are no entries', async (t) => {
  const { daemons, log } = await opened(t)
  const broken = {
    Timestamp: ['s', 'noon'],
    UpdateTimestamp: ['t', Number.MAX_SAFE_INTEGER],
    Severity: ['s', `${level}.constructor`],
    Message: ['u', 7],
    Resolution: ['as', ['none']],
    Resolved: ['s', 'yes'],
    AdditionalData: ['as', ['A=x=y', 'B', '__proto__=z']]
  } as const
  for (const [property, [signature, value]] of Object.entries(broken))
    await daemons.mistype(entry(1), 'Logging.Entry', property, signature, value as string)
  await is(log, () => log.entries?.get(1)?.data.A !== undefined)
  t.strictSame(JSON.stringify(log.entries?.get(1)), '{"resolved":false,"data":{"A":"x=y","B":"","__proto__":"z"}}')
  await daemons.mistype(entry(1), 'Logging.Entry', 'AdditionalData', 'a{uu}', { 1: 2 })
  await is(log, () => log.entries?.get(1)?.data.A === undefined)
  t.same(log.entries?.get(1)?.data, {})
  await daemons.mistype(entry(1), 'Logging.Entry', 'Resolution', 's', 'None.')
  await daemons.mistype(entry(1), 'Logging.Entry', 'Timestamp', 't', 0)
  await is(log, () => log.entries?.get(1)?.resolution === 'None.')
  t.same(log.entries?.get(1), { resolution: 'None.', resolved: false, data: {} })
  for (const name of ['entry/0', 'entry/01', 'entry/x', 'entry/4294967296', 'entry/1/2', 'other/3'])
    await daemons.add('Logging', `${root}/${name}`, { 'Logging.Entry': {} })
  await daemons.add('Logging', entry(4_294_967_295), { 'Logging.Entry': {} })
  await is(log, () => (log.entries?.size ?? 0) > 1)
  t.same([...(log.entries?.keys() ?? [])], [1, 4_294_967_295])
})

t.test('without its daemon the log stays as it was last, and cannot be changed', async (t) => {
  const { daemons, log, create } = await opened(t)
  create('one', 'Error')
  await is(log, () => log.entries?.size === 2)
  const lost = is(log, () => !log.isAvailable)
  await daemons.kill('Logging')
  t.same((await lost).at(-1), { added: [], changed: new Set() })
  t.same([...(log.entries?.keys() ?? [])], [1, 2])
  for (const failed of [log.resolve(1, true), log.remove(1), log.clear()]) await t.rejects(failed, { code: 'ENODEV' })
  const found = is(log, () => log.isAvailable)
  await daemons.start('Logging')
  t.same(added(await found), [], 'those that were known are not new')
  t.equal(log.entries?.size, 2)
  await log.resolve(1, true)
})

t.test('what was added or removed while the bus was away is told once it is back', async (t) => {
  const { daemons, log } = await opened(t)
  await daemons.lose('Logging')
  await is(log, () => !log.isAvailable)
  await daemons.add('Logging', entry(7), { 'Logging.Entry': { Id: 7, Timestamp: 1000 } })
  await daemons.set(entry(1), 'Logging.Entry', 'Timestamp', 2000)
  await daemons.add('Logging', entry(3), { 'Logging.Entry': { Id: 3, Timestamp: 1500 } })
  await daemons.add('Logging', entry(8), { 'Logging.Entry': { Id: 8, Timestamp: 3000 } })
  await daemons.remove(entry(8), 'Logging.Entry')
  const found = is(log, () => log.isAvailable)
  await daemons.take('Logging')
  t.same(added(await found), [1, 3, 7], 'one with the number of another is new')
  t.same([...(log.entries?.values() ?? [])].map(({ created }) => created).sort(), [1000, 1500, 2000])
})

t.test('a log is unknown until its daemon is there', async (t) => {
  const { daemons, log } = await opened(t, { without: ['Logging'] })
  t.equal(log.entries, undefined)
  t.notOk(log.isAvailable)
  await t.rejects(log.clear(), { code: 'ENODEV' })
  const known = is(log, () => log.entries !== undefined)
  await daemons.start('Logging')
  t.same(await known, [{ added: [], changed: new Set([1]) }])
})
