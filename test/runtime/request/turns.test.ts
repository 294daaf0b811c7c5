import t from 'tap'
import { Basis } from '#runtime/request/basis.ts'
import { Turns, toEnd, type Work } from '#runtime/request/turns.ts'
import { keys, openFixture } from '../service.ts'

/** Work in steps of some milliseconds; it returns how many there were. */
function* steps(count: number): Work<number> {
  for (let n = 0; n < count; n++) {
    const until = performance.now() + 3
    while (performance.now() < until);
    yield
  }
  return count
}

t.test('long work lets the event loop turn, with the same result as work done at once', async (t) => {
  let turned = 0
  const ticking = setInterval(() => turned++)
  const result = await new Turns().run(steps(10))
  clearInterval(ticking)
  t.equal(result, 10)
  t.ok(turned > 1, `${turned} turns`)
  t.equal(toEnd(steps(2)), 2)
})

t.test('one work is done after the other, and one that fails stops none', async (t) => {
  const turns = new Turns()
  const ended: string[] = []
  // biome-ignore lint/correctness/useYield: it fails at its first step
  const failing = (function* (): Work<never> {
    throw new Error('no')
  })()
  const all = [turns.run(steps(4)), turns.run(failing), turns.run(steps(1))].map((each, index) =>
    each.then(
      () => ended.push(`${index}`),
      (error) => ended.push(`${index} ${error.message}`)
    )
  )
  await Promise.all(all)
  t.same(ended, ['0', '1 no', '2'])
})

t.test('a query that takes too many resources is refused again without reading them', async (t) => {
  const fixture = await openFixture((configuration) => {
    configuration.limits.expandResources = 5
  })
  t.teardown(() => fixture.close())
  const { run } = Turns.prototype
  let worked = 0
  Turns.prototype.run = function (work) {
    worked++
    return run.call(this, work) as never
  }
  t.teardown(() => {
    Turns.prototype.run = run
  })
  const refused = async () => {
    const answer = await fixture.ask('GET', '/redfish/v1/Chassis/?$expand=*($levels=3)')
    t.equal(answer.status, 507)
    t.same(keys(answer), ['Base.InsufficientStorage'])
  }
  for (let n = 0; n < 3; n++) await refused()
  t.equal(worked, 1)
  await fixture.ask('PATCH', '/redfish/v1/Chassis/1/', { AssetTag: 'rack 9' })
  await refused()
  t.equal(worked, 2, 'something that it read has changed')
})

t.test('a query that waits for its turn is refused when the same one before it was', async (t) => {
  const fixture = await openFixture((configuration) => {
    configuration.limits.expandResources = 5
  })
  t.teardown(() => fixture.close())
  const { track } = Basis.prototype
  let reads = 0
  Basis.prototype.track = function (path) {
    reads++
    track.call(this, path)
  }
  t.teardown(() => {
    Basis.prototype.track = track
  })
  const ask = () => fixture.ask('GET', '/redfish/v1/Chassis/?$expand=*($levels=3)')
  const answers = await Promise.all([ask(), ask(), ask()])
  t.same(
    answers.map(({ status }) => status),
    [507, 507, 507]
  )
  const together = reads
  reads = 0
  await fixture.ask('PATCH', '/redfish/v1/Chassis/1/', { AssetTag: 'rack 9' })
  reads = 0
  t.equal((await ask()).status, 507)
  t.ok(together < 2 * reads, `${together} reads of three at once, ${reads} of one`)
})
