// Each noun declares its tables when it is loaded, which the handlers of the product see to.
import '#generated'
import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import type { Power, PowerState } from '#hal/power.ts'
import { PowerOnDelay } from '#runtime/service/power/power-on-delay.ts'
import { Store } from '#runtime/store/store.ts'

/** A host with a delay in seconds, timers that the test ends, and how the wait ends. */
async function open(t: Test, powerOnDelay: number, state: PowerState) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  await store.commit({ system: { 1: { powerOnDelay } } })
  const host = { state }
  const delay = new PowerOnDelay(store, { power: new Map([['1', host as Power]]) })
  const timers = t.capture(globalThis, 'setTimeout', ((_: () => void) => 7) as unknown as typeof setTimeout)
  const cleared = t.capture(globalThis, 'clearTimeout', () => {})
  const over = delay.over('1').then(
    () => 'boots',
    (error: Error) => error.message
  )
  const [[end, time] = []] = timers().map(({ args }) => args as [() => void, number])
  return { delay, host, over, end: () => end?.(), time, cleared: () => cleared().map(({ args }) => args[0]) }
}

t.test('a host that is switched on waits as long as its settings say', async (t) => {
  const { over, end, time, delay, cleared } = await open(t, 30, 'PoweringOn')
  t.equal(time, 30_000)
  end()
  t.equal(await over, 'boots')
  delay.close()
  t.same(cleared(), [], 'the timer that has run out is forgotten')
})

t.test('without a delay, and with a host that is on, nothing waits', async (t) => {
  for (const [delay, state] of [
    [0, 'PoweringOn'],
    [30, 'On']
  ] as const) {
    await t.test(`${delay} s, ${state}`, async (t) => {
      const { over, time } = await open(t, delay, state)
      t.equal(await over, 'boots')
      t.equal(time, undefined)
    })
  }
})

t.test('a host that goes off meanwhile does not boot', async (t) => {
  const { over, host, end } = await open(t, 30, 'PoweringOn')
  host.state = 'Off'
  end()
  t.equal(await over, 'the host is no longer switched on')
})

t.test('a stop of the service ends the wait without a boot', async (t) => {
  const { delay, cleared } = await open(t, 30, 'PoweringOn')
  delay.close()
  t.same(cleared(), [7])
})
