import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import type { Event } from '#runtime/contract'
import { Events } from '#runtime/service/events/events.ts'
import { watchStorage } from '#runtime/service/manager/storage.ts'
import { Store } from '#runtime/store/store.ts'

const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
const broken = new Error('it is broken')

/** A disk whose refusals are those of the test, and the events that are sent. */
async function open(t: Test, refusal?: Error) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  let refuse: (reason: Error | undefined) => void = () => {}
  const disk = {
    ...{ refusal, log: store.log },
    onRefusal(listener: typeof refuse) {
      refuse = listener
    }
  }
  const events = new Events(store, sim as Board, configuration, Date.now)
  const sent: Event[] = []
  t.capture(events, 'emit', async (...each: Event[]) => void sent.push(...each))
  const lines: unknown[] = []
  for (const level of ['info', 'error'] as const) {
    t.capture(store.log, level, (...line: unknown[]) => void lines.push([level, ...line]))
  }
  watchStorage(disk, events, sim as Board)
  const told = () => sent.splice(0).map(({ message: { key, args }, origin }) => [origin, key, ...args].join(' '))
  return { told, lines, refuse: (reason?: Error) => refuse(reason) }
}

const manager = '/redfish/v1/Managers/1'

t.test('a disk that refuses is told once, with the reason, and once when it accepts again', async (t) => {
  const { told, lines, refuse } = await open(t)
  t.same(told(), [])
  for (const [reason, expected] of [
    [full, [`${manager} MgmtEvents.StorageNotWritable is full`]],
    [full, []],
    [broken, [`${manager} MgmtEvents.StorageNotWritable fails`]],
    [undefined, [`${manager} MgmtEvents.StorageWritable`]],
    [undefined, []],
    [broken, [`${manager} MgmtEvents.StorageNotWritable fails`]]
  ] as const) {
    refuse(reason)
    t.same(told(), expected)
  }
  const refused = (cause: string) => ['error', 'the disk refuses writes', { cause }]
  const accepted = ['info', 'the disk accepts writes again']
  t.same(lines, [refused('no space'), refused('it is broken'), accepted, refused('it is broken')])
})

t.test('a disk that refuses from the start on is told', async (t) => {
  const { told } = await open(t, full)
  t.same(told(), [`${manager} MgmtEvents.StorageNotWritable is full`])
})
