// own process: it starts what was built
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import { type Judged, judge, line } from '../../bench/figures.ts'
import { fleetOf, small } from '../../bench/fleet.ts'
import { Measurement } from '../../bench/measurement.ts'

t.setTimeout(1_700_000)
const x86 = hosts.find(({ name }) => name === 'x86-64')!

/** Those that are the same on every machine, whatever else goes on there. */
const certain = new Set(['B', 'events'])

needing('a fleet in the binary', x86.missing, async (t) => {
  t.test(`keeps to its memory with ${small} controllers, and has no error and loses no event`, async (t) => {
    const measurement = new Measurement()
    t.teardown(() => measurement.end())
    let held = 0
    for await (const figure of fleetOf(small, x86, measurement)) {
      const judged: Judged = certain.has(figure.unit) ? judge(figure) : figure
      t.comment(line(judged))
      if (judged.bound === undefined) continue
      t.ok(judged.held, line(judged))
      held += 1
    }
    t.ok(held >= 4, 'of memory, errors and events')
  })
})
