// own process: it starts what was built
import { statSync } from 'node:fs'
import t, { type Test } from 'tap'
import { needing } from '#test/host/every-host.ts'
import { hosts, olderArm } from '#test/host/hosts.ts'
import { resident } from '#test/host/process.ts'
import bounds from '../../bench/bounds.json' with { type: 'json' }
import { filled } from '../../bench/full-house.ts'
import { get, Load } from '../../bench/load.ts'
import { chassis, startAsShipped } from '../../bench/measurement.ts'
import { packed, pageSizes } from '../../bench/size.ts'

t.setTimeout(900_000)
const [, x86, armv7] = hosts
const armv5 = olderArm[0]

t.test('the page is small, and so is its terminal', async (t) => {
  const { first, firstFiles, largest, all, terminal } = pageSizes()
  t.equal(firstFiles, 4, 'a document, a style and two scripts')
  atMost(t, first, bounds['page: what the login and the overview need, gzip'].max)
  atMost(t, largest, bounds['page: the largest other file, gzip'].max)
  atMost(t, all, bounds['page: all files, gzip'].max)
  atMost(t, terminal, bounds['terminal of the page, gzip'].max)
  t.ok(Math.min(first, largest, terminal) > 1000, 'all are there')
})

needing('the ARMv7 binary', armv7!.missing, async (t) => {
  t.test('fits the flash of a controller', async (t) => {
    atMost(t, statSync('dist/minnow-armv7').size, bounds['size armv7'].max)
    atMost(t, packed('dist/minnow-armv7'), bounds['size armv7, xz'].max)
  })
})

needing('the ARMv5 binary', armv5!.missing, async (t) => {
  t.test('fits the flash of an older controller', async (t) => {
    atMost(t, statSync('dist/minnow-armv5').size, bounds['size armv5'].max)
  })
})

needing('the x86-64 binary', x86!.missing, async (t) => {
  t.test('keeps to its memory, idle and with 64 connections after 10,000 requests', async (t) => {
    const server = await startAsShipped(t, x86!)
    atMost(t, resident(server.process.pid), bounds['memory idle'].max)
    const load = await Load.open(server, 64)
    await load.send(10_000, get(chassis))
    atMost(t, resident(server.process.pid), bounds['memory with 64 connections after 100,000 requests'].max)
    load.close()
  })

  t.test('keeps to its memory with every subscriber, full queue, session and stream that there may be', async (t) => {
    const server = await filled(t, x86!)
    const bound = bounds['memory with 20 subscribers, full queues, 32 sessions, 10 streams, x86-64'].max
    atMost(t, resident(server.process.pid), bound)
    await server.kill()
  })
})

function atMost(t: Test, bytes: number, bound: number): void {
  t.ok(bytes <= bound, `${bytes} bytes of ${bound}`)
}
