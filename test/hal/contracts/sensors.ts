import type { Test } from 'tap'
import type { Sensors } from '#hal/sensors.ts'

/**
 * The contract of every back end of hal/sensors.ts.
 *
 * @param open sensors that can be read; `known` is the number of one of them, `unknown` of none
 */
export function sensorsContract(
  t: Test,
  backEnd: string,
  open: () => Promise<{ sensors: Sensors; known: number; unknown: number }>
) {
  const withSensors = (
    title: string,
    body: (t: Test, sensors: Sensors, numbers: { known: number; unknown: number }) => Promise<void>
  ) =>
    t.test(`${backEnd}: ${title}`, async (t) => {
      const { sensors, ...numbers } = await open()
      t.teardown(() => sensors.close())
      await body(t, sensors, numbers)
    })

  withSensors('nothing is known before the first poll', async (t, sensors, { known }) => {
    t.equal(sensors.read(known), undefined)
  })

  withSensors('a poll makes readings known, and says so', async (t, sensors, { known }) => {
    const seen: (number | undefined)[] = []
    sensors.on(() => seen.push(sensors.read(known)))
    await sensors.poll()
    t.equal(typeof sensors.read(known), 'number')
    t.equal(seen.at(-1), sensors.read(known))
  })

  withSensors('a poll names the sensors with new readings', async (t, sensors, { known, unknown }) => {
    const seen: ReadonlySet<number>[] = []
    sensors.on((changed) => seen.push(changed))
    const names = (number: number) => seen.splice(0).some((changed) => changed.has(number))
    await sensors.poll()
    t.ok(names(known))
    const before = sensors.read(known)
    await sensors.poll()
    t.equal(names(known), sensors.read(known) !== before)
    await sensors.poll()
    t.notOk(names(unknown))
  })

  withSensors('a number that no sensor has reads as unknown', async (t, sensors, { unknown }) => {
    await sensors.poll()
    t.equal(sensors.read(unknown), undefined)
  })

  withSensors('a removed listener is not called', async (t, sensors) => {
    let heard = 0
    const stop = sensors.on(() => {
      heard += 1
    })
    await sensors.poll()
    stop()
    const before = heard
    await sensors.poll()
    t.ok(before > 0)
    t.equal(heard, before)
  })

  withSensors('closed, a poll is ENODEV and nothing is known any more', async (t, sensors, { known }) => {
    await sensors.poll()
    await sensors.close()
    await t.rejects(sensors.poll(), { name: 'HalError', code: 'ENODEV' })
    t.equal(sensors.read(known), undefined)
  })
}
