import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { type Figure, median } from './figures.ts'
import type { Measurement } from './measurement.ts'

const times = 10

/** Milliseconds from exec to the first 200 with a data directory that already exists. */
export async function* startTime(measurement: Measurement): AsyncGenerator<Figure> {
  for (const host of hosts) {
    if (host.missing) continue
    const first = await start(measurement, host)
    await first.stop()
    const taken: number[] = []
    for (let n = 0; n < times; n++) {
      const from = performance.now()
      const server = await start(measurement, host, { data: first.data })
      const { status } = await server.get('/redfish/v1/', {})
      if (status !== 200) throw new Error(`${host.name}: ${status}`)
      taken.push(performance.now() - from)
      await server.stop()
    }
    yield { name: `first 200 after exec, ${host.name}`, value: median(taken), unit: 'ms' }
  }
}
