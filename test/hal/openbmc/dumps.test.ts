// own process: it starts message buses and services on them, and loads an addon

import { closeSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import t, { type Test } from 'tap'
import type { EntryChange } from '#hal/entries.ts'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { until } from '#test/hal/until.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

process.env.MINNOW_NATIVE = resolve('dist/native')

t.setTimeout(900_000)

const { dumps: openDumps } = openbmcDevices()
const root = '/xyz/openbmc_project/dump/bmc'
const entry = (number: number) => `${root}/entry/${number}`

async function opened(t: Test, options: Parameters<typeof OpenbmcSimulator.start>[2] = {}, patience = 100) {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus, options)
  const dumps = openDumps({ name: 'dumps-1', socket: bus.socket, patience, warn: () => undefined })
  t.teardown(() => dumps.close())
  const changes: EntryChange[] = []
  dumps.on((change) => changes.push(change))
  const is = (condition: () => boolean) => until((look) => dumps.on(look), condition)
  if (options.without === undefined) await is(() => dumps.isAvailable)
  const add = (number: number, interfaces: Parameters<OpenbmcSimulator['add']>[2]) =>
    daemons.add('Dump.Manager', entry(number), interfaces)
  return { daemons, dumps, changes, is, add }
}

t.test('a dump is collected, read, and removed', async (t) => {
  const { dumps, changes } = await opened(t)
  t.same(dumps.entries, new Map())
  t.equal(await dumps.collect(), 1)
  const dump = dumps.entries?.get(1)
  t.ok(Math.abs(Number(dump?.created) - Date.now()) < 60_000)
  const descriptor = await dumps.open(1)
  const content = readFileSync(descriptor, 'utf8')
  closeSync(descriptor)
  t.equal(content, `dump ${entry(1)}\n`.repeat(100))
  t.match(dump, { size: content.length, isFailed: false })
  t.equal(await dumps.collect(), 2)
  t.same(
    changes.flatMap(({ added }) => added),
    [1, 2]
  )
  await dumps.remove(1)
  t.same([...(dumps.entries?.keys() ?? [])], [2])
  await t.rejects(dumps.open(1), { code: 'ENODEV', message: 'dumps-1: the bus has no entry 1' })
  await t.rejects(dumps.remove(1), { code: 'ENODEV' })
  await dumps.clear()
  t.same(dumps.entries, new Map())
})

t.test('a dump in progress is not listed, and a failed one is listed as failed', async (t) => {
  const { daemons, dumps, is, add } = await opened(t)
  await daemons.hold()
  const collected = dumps.collect()
  await add(7, { 'Dump.Entry': { Size: 9 }, 'Common.Progress': { Status: 'Aborted' } })
  await add(8, { 'Dump.Entry': { Size: 9 } })
  await is(() => dumps.entries?.has(8) === true)
  t.same(
    [...(dumps.entries ?? [])],
    [
      [7, { size: 9, isFailed: true }],
      [8, { size: 9, isFailed: false }]
    ]
  )
  await daemons.set(entry(1), 'Common.Progress', 'Status', 'Failed')
  await t.rejects(collected, { code: 'EIO', message: `dumps-1: ${entry(1)} could not be collected` })
  await is(() => dumps.entries?.get(1)?.isFailed === true)
})

t.test('a dump that does not come is a failure of its collection', async (t) => {
  const { daemons, dumps } = await opened(t)
  await daemons.hold()
  const removed = t.rejects(dumps.collect(), { code: 'EIO', message: `dumps-1: ${entry(1)} was removed` })
  while (
    !(await daemons.get(entry(1), 'Dump.Entry', 'Size').then(
      () => true,
      () => false
    ))
  );
  await daemons.remove(entry(1), 'Dump.Entry')
  await removed
  const refusal = (code: string) => t.rejects(dumps.collect(), { code })
  await daemons.fail(root, 'Dump.Create', 'CreateDump', 'Dump.Create.Error.QuotaExceeded')
  await refusal('ENOSPC')
  await daemons.fail(root, 'Dump.Create', 'CreateDump', 'Dump.Create.Error.Disabled')
  await refusal('EINVAL')
  await daemons.fail(root, 'Dump.Create', 'CreateDump', null)
  const lost = refusal('ENODEV')
  while (
    !(await daemons.get(entry(2), 'Dump.Entry', 'Size').then(
      () => true,
      () => false
    ))
  );
  await daemons.kill('Dump.Manager')
  await lost
  await t.rejects(dumps.collect(), { code: 'ENODEV' })
})

t.test('collecting ends with patience, and with the device', async (t) => {
  const { daemons, dumps } = await opened(t, {}, 1)
  await daemons.hold()
  await t.rejects(dumps.collect(), { code: 'ETIMEDOUT', message: 'dumps-1: no dump in 1 s' })
  const ended = t.rejects(dumps.collect(), { code: 'ENODEV' })
  await dumps.close()
  await ended
})

t.test('without the daemon the dumps are those of before, and values of other types are no dump', async (t) => {
  const { daemons, dumps, is } = await opened(t, { without: ['Dump.Manager'] })
  t.same([dumps.entries, dumps.isAvailable], [undefined, false])
  await daemons.start('Dump.Manager')
  await is(() => dumps.isAvailable)
  await dumps.collect()
  await daemons.mistype(entry(1), 'Dump.Entry', 'Size', 's', 'large')
  await daemons.mistype(entry(1), 'Time.EpochTime', 'Elapsed', 'd', 7)
  await is(() => dumps.entries?.get(1)?.size === 0)
  await is(() => dumps.entries?.get(1)?.created === undefined)
  await daemons.mistype(entry(1), 'Common.Progress', 'Status', 'd', 7)
  await is(() => dumps.entries?.size === 0)
  await daemons.set(entry(1), 'Common.Progress', 'Status', 'Completed')
  await is(() => dumps.entries?.size === 1)
  await daemons.kill('Dump.Manager')
  await is(() => !dumps.isAvailable)
  t.equal(dumps.entries?.size, 1)
  await t.rejects(dumps.remove(1), { code: 'ENODEV' })
})
