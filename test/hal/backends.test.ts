import t from 'tap'
import { loadBackends } from '#hal/backends.ts'

/** Each back end that is loaded, as its device and its type. */
async function loaded(names?: (type: string) => boolean): Promise<(readonly [string, string])[]> {
  const backends = await loadBackends(names)
  return Object.entries(backends).flatMap(([device, types]) =>
    Object.keys(types).map((type) => [device, type] as const)
  )
}

t.test('a type that a board names loads each back end that has it', async (t) => {
  const all = await loaded()
  t.ok(all.length > 30)
  for (const [device, type] of all) {
    const own = await loaded((name) => name === type)
    t.same(
      own.filter((each) => each[1] === type),
      all.filter((each) => each[1] === type),
      `${type}, as of ${device}`
    )
  }
})

t.test('what no board names is not loaded', async (t) => {
  t.same(await loaded(() => false), [])
  t.same(new Set((await loaded((type) => type === 'sim')).map(([, type]) => type)), new Set(['sim']))
})
