import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, Pool } from 'undici'
import { hosts } from '#test/host/hosts.ts'
import { Process, resident } from '#test/host/process.ts'
import { admin, directory, password, start } from '#test/host/server.ts'
import { type Figure, median } from './figures.ts'
import type { Measurement } from './measurement.ts'

/** Controllers; the bounds are for 1,000. `MINNOW_FLEET=20000 npm run bench -- fleet` takes minutes. */
const count = Number(process.env.MINNOW_FLEET ?? 1000)

/** Of these, so many are asked; the clients are as many as a management system has. */
const asked = Math.min(count, Number(process.env.MINNOW_FLEET_ASKED ?? 200))
const clients = 64

/** Requests to one controller, in turn, and how often that is measured. */
const requests = 400
const rounds = 5

const paths = ['/redfish/v1/', '/redfish/v1/Systems/1/', '/redfish/v1/Chassis/1/', '/redfish/v1/Managers/1/']

/** A fleet as a whole, and one of its controllers beside a process of its own. */
export async function* fleet(measurement: Measurement): AsyncGenerator<Figure> {
  for (const host of hosts.filter(({ name }) => name !== 'ARMv7')) {
    if (host.missing) continue
    const named = (what: string) => `fleet of ${count}: ${what}, ${host.name}`
    const data = directory(measurement)
    const from = performance.now()
    const args = ['--count', String(count), '--network', '127.24.0.0/14', '--port', '0', '--data', data]
    const process = new Process(host, ['fleet', ...args], { MINNOW_ADMIN_PASSWORD: password })
    measurement.teardown(() => process.kill('SIGKILL'))
    await process.ready()
    yield { name: named('exec to listening'), value: performance.now() - from, unit: 'ms' }
    yield { name: named('memory, listening'), value: resident(process.pid), unit: 'B' }

    const members: { url: string }[] = JSON.parse(readFileSync(join(data, 'inventory.json'), 'utf8'))
    const origins = members.slice(0, asked).map(({ url }) => new URL(url).origin)
    yield {
      name: named(`slowest 1 % of requests in a first crawl of ${asked}`),
      value: await crawl(origins),
      unit: 'ms'
    }
    yield {
      name: named(`slowest 1 % of requests in a second crawl of ${asked}`),
      value: await crawl(origins),
      unit: 'ms'
    }
    yield { name: named(`memory with ${asked} open`), value: resident(process.pid), unit: 'B' }

    const alone = await start(measurement, host)
    const ratios: number[] = []
    for (let round = 0; round < rounds; round++) {
      const own = await take(`https://127.0.0.1:${alone.port}`)
      ratios.push((await take(origins[0]!)) / own)
    }
    yield { name: named('time of a GET, to that of a process of its own'), value: median(ratios), unit: 'ratio' }
    await alone.stop()
    await process.kill('SIGTERM')
  }
}

/** Asks all of them by many clients at once. @returns the 99th percentile of the time of a request, in milliseconds */
async function crawl(origins: readonly string[]): Promise<number> {
  const left = [...origins]
  const times: number[] = []
  const client = async () => {
    for (let origin = left.shift(); origin !== undefined; origin = left.shift()) {
      const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
      for (const path of paths) {
        const from = performance.now()
        const { statusCode, body } = await dispatcher.request({ origin, path, method: 'GET', headers: admin })
        await body.dump()
        if (statusCode !== 200) throw new Error(`${origin}${path}: ${statusCode}`)
        times.push(performance.now() - from)
      }
      await dispatcher.close()
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
}

/** The time of some requests one after another, in milliseconds. */
async function take(origin: string): Promise<number> {
  const pool = new Pool(origin, { connect: { rejectUnauthorized: false }, connections: 1 })
  const get = async () =>
    (await pool.request({ path: '/redfish/v1/Chassis/1/', method: 'GET', headers: admin })).body.dump()
  for (let n = 0; n < 20; n++) await get()
  const from = performance.now()
  for (let n = 0; n < requests; n++) await get()
  const taken = performance.now() - from
  await pool.close()
  return taken
}
