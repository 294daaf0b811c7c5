import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import { identified } from '#runtime/service/manager/identity.ts'
import { Store } from '#runtime/store/store.ts'

const manager = (sim as Board).managers['1']!

/** The identity of the manager after several starts over one directory. */
async function starts(t: Test, ...boards: Board[]) {
  const directory = `${t.testdir()}/store`
  const seen = []
  for (const board of boards) {
    const store = await Store.open(directory, configuration.store)
    const { uuid, serviceEntryPointUuid } = (await identified(board, store)).managers['1']!
    seen.push({ uuid, serviceEntryPointUuid })
    await store.close()
  }
  return seen
}

const { uuid, serviceEntryPointUuid, ...unnamed } = manager
const nameless = { ...sim, managers: { '1': unnamed } } as Board

t.test('UUIDs that the board gives are the manager’s', async (t) => {
  t.strictSame(await starts(t, sim as Board), [{ uuid, serviceEntryPointUuid }])
  await t.test('nothing is stored of them', async (t) => {
    const store = await Store.open(`${t.testdir()}/store`, configuration.store)
    t.teardown(() => store.close())
    const commits = t.capture(store, 'commit', store.commit)
    await identified(sim as Board, store)
    t.same(commits(), [])
  })
})

t.test('of a board that gives one UUID only the other is made, and stays', async (t) => {
  for (const given of [{ uuid }, { serviceEntryPointUuid }]) {
    await t.test(Object.keys(given).join(), async (t) => {
      const half = { ...sim, managers: { '1': { ...unnamed, ...given } } } as Board
      const [first, second] = await starts(t, half, half)
      t.match(first, given)
      t.match(first, { uuid: /^[0-9a-f-]{36}$/, serviceEntryPointUuid: /^[0-9a-f-]{36}$/ })
      t.strictSame(second, first)
    })
  }
})

t.test('others are made at the first start, and stay', async (t) => {
  const [first, second] = await starts(t, nameless, nameless)
  const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  t.match(first, { uuid: version4, serviceEntryPointUuid: version4 })
  t.not(first?.uuid, first?.serviceEntryPointUuid)
  t.strictSame(second, first)
})

t.test('two controllers are not called the same', async (t) => {
  const [one] = await starts(t, nameless)
  await t.test('the other one', async (t) => {
    const [other] = await starts(t, nameless)
    t.not(other?.uuid, one?.uuid)
    t.not(other?.serviceEntryPointUuid, one?.serviceEntryPointUuid)
  })
})
