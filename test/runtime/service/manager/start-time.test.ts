import process from 'node:process'
import t from 'tap'
import { configuration } from '#data/configuration'
import { keepStartTime } from '#runtime/service/manager/start-time.ts'
import { Store } from '#runtime/store/store.ts'

t.test('the time of the start follows a clock that is set later, and not the time that passes', async (t) => {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  const shown = () => store.get('controllerStart', 'last')?.time
  const wrong = Date.parse('1970-01-01T00:00:10Z')
  let offset = wrong - Date.now()
  const correct = await keepStartTime(store, () => Date.now() + offset)
  t.match(shown(), /^1970-01-01T00:00:1/)
  const first = shown()
  await correct()
  t.equal(shown(), first)
  offset += 50_000
  await correct()
  t.equal(shown(), first, 'a minute is exact enough')
  offset = 0
  await correct()
  t.ok(Math.abs(Date.parse(shown() ?? '') - Date.now()) < 60_000)
  const second = await keepStartTime(store, () => Date.now() + 1000)
  t.not(shown(), first, 'each start has its time')
  await second()
})

t.test(
  'a disk that refuses the time of the start costs a line of the log, and the next change is stored',
  async (t) => {
    const store = await Store.open(`${t.testdir()}/store`, configuration.store)
    t.teardown(() => store.close())
    const { commit } = store
    store.commit = async () => {
      throw new Error('no space')
    }
    const lines = t.capture(store.log, 'warning', () => {})
    let offset = 0
    const correct = await keepStartTime(store, () => Date.now() + offset)
    t.same(
      lines().map(({ args }) => args),
      [['the start time was not stored', { cause: 'no space' }]]
    )
    store.commit = commit
    offset = -3_600_000
    await correct()
    t.ok(Math.abs(Date.parse(store.get('controllerStart', 'last')?.time ?? '') - Date.now() + 3_600_000) < 60_000)
  }
)

t.test(
  'a clock that is set by a minute moves the time of the start, and one that goes on for hours does not',
  async (t) => {
    const store = await Store.open(`${t.testdir()}/store`, configuration.store)
    t.teardown(() => store.close())
    let [passed, set] = [0, 0]
    t.capture(process.hrtime, 'bigint', () => BigInt(passed) * 1_000_000n)
    const start = Date.parse('2025-06-01T12:00:00Z')
    const correct = await keepStartTime(store, () => start + passed + set)
    for (const [time, expected] of [
      [0, 0],
      [59_999, 0],
      [60_000, 60_000],
      [1, 60_000],
      [0, 0]
    ] as const) {
      passed += 7_200_000
      set = time
      await correct()
      t.equal(store.get('controllerStart', 'last')?.time, new Date(start + expected).toISOString(), `${time} ms`)
    }
  }
)
