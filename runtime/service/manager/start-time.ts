import process from 'node:process'
import type { Store } from '#runtime/store/store.ts'

const oneMinute = 60_000

/**
 * Stores that the controller starts now.
 *
 * @param now the clock, in milliseconds since 1970
 * @returns corrects the time where the clock was set since, as a board without a battery does; to be called once in a while
 */
export async function keepStartTime(store: Store, now: () => number): Promise<() => Promise<void>> {
  const began = process.hrtime.bigint()
  let known = now()
  const keep = async () => {
    try {
      await store.commit({ controllerStart: { last: { time: new Date(known).toISOString() } } })
    } catch (error) {
      store.log.warning('the start time was not stored', { cause: (error as Error).message })
    }
  }
  await keep()
  return async () => {
    const time = now() - Number((process.hrtime.bigint() - began) / 1_000_000n)
    if (Math.abs(time - known) < oneMinute) return
    known = time
    await keep()
  }
}
