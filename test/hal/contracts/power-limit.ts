import type { Test } from 'tap'
import type { PowerLimit } from '#hal/power-limit.ts'

interface Opened {
  readonly limit: PowerLimit
  readonly held: () => number | Promise<number>
  /** Default: any fraction. */
  readonly step?: 1
}

/**
 * The contract of every back end of hal/power-limit.ts.
 *
 * @param open a limit of 150 to 800 W that is not set, what the hardware then limits the power to, and the number of watts
 *   between two limits that it can hold
 */
export function powerLimitContract(t: Test, backEnd: string, open: (t: Test) => Opened | Promise<Opened>) {
  t.test(`${backEnd}: a limit is set and lifted`, async (t) => {
    const { limit, held, step } = await open(t)
    t.same(limit.range, { minimum: 150, maximum: 800 })
    t.equal(limit.watts, undefined)
    for (const watts of [150, step === 1 ? 400 : 400.5, 800]) {
      await limit.set(watts)
      t.same([limit.watts, await held()], [watts, watts])
    }
    await limit.set(150)
    await limit.set(undefined)
    t.same([limit.watts, await held()], [undefined, 800])
  })

  t.test(`${backEnd}: outside of its range it is EINVAL, and the limit stays`, async (t) => {
    const { limit, held } = await open(t)
    await limit.set(400)
    for (const watts of [149, 801]) await t.rejects(limit.set(watts), { name: 'HalError', code: 'EINVAL' })
    t.same([limit.watts, await held()], [400, 400])
  })

  t.test(`${backEnd}: closed, it is ENODEV`, async (t) => {
    const { limit } = await open(t)
    await limit.close()
    await t.rejects(limit.set(400), { name: 'HalError', code: 'ENODEV' })
  })
}
