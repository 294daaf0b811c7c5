import type { Test } from 'tap'
import { type Indicator, indicatorStates } from '#hal/indicators.ts'

/**
 * The contract of every back end of hal/indicators.ts.
 *
 * @param open a lamp that is off
 */
export function indicatorContract(t: Test, backEnd: string, open: () => Promise<Indicator>) {
  const withLamp = (title: string, body: (t: Test, lamp: Indicator) => Promise<void>) =>
    t.test(`${backEnd}: ${title}`, async (t) => {
      const lamp = await open()
      t.teardown(() => lamp.close())
      t.equal(lamp.state, 'Off')
      await body(t, lamp)
    })

  withLamp('it changes from every state to every other, and reports it', async (t, lamp) => {
    const seen: string[] = []
    lamp.on((state) => seen.push(state))
    const round = indicatorStates.flatMap((from) => indicatorStates.flatMap((to) => [from, to]))
    for (const state of round) {
      await lamp.set(state)
      t.equal(lamp.state, state)
    }
    const changes = ['Off', ...round].filter((state, i, all) => i > 0 && state !== all[i - 1])
    t.strictSame(seen, changes)
  })

  withLamp('a state it has already is no change', async (t, lamp) => {
    let heard = 0
    lamp.on(() => {
      heard += 1
    })
    await lamp.set('Off')
    t.equal(heard, 0)
  })

  withLamp('a removed listener is not called', async (t, lamp) => {
    let heard = 0
    const stop = lamp.on(() => {
      heard += 1
    })
    await lamp.set('Lit')
    stop()
    await lamp.set('Off')
    t.equal(heard, 1)
  })

  withLamp('closed, it is ENODEV', async (t, lamp) => {
    await lamp.close()
    await t.rejects(lamp.set('Lit'), { name: 'HalError', code: 'ENODEV' })
  })
}
