import { gunzipSync } from 'node:zlib'
import { hosts } from '#test/host/hosts.ts'
import { links } from '#test/host/links.ts'
import type { Connection } from '#test/host/raw.ts'
import { type Figure, quantile } from './figures.ts'
import { type Measurement, startAsShipped } from './measurement.ts'

const walks = 10

/** Walks of all resources in one session, on one connection: requests a second, and how long an answer takes. */
export async function* walk(measurement: Measurement): AsyncGenerator<Figure> {
  for (const host of hosts.slice(0, 2)) {
    if (host.missing) continue
    const server = await startAsShipped(measurement, host)
    const { token } = await server.login()
    const connection = await server.connect()
    const took: number[][] = []
    for (let n = 0; n < walks; n++) took.push(await walkOnce(connection, token['x-auth-token']))
    yield { name: `resources of a walk, ${host.name}`, value: took[0]!.length, unit: 'resources' }
    for (const [name, times] of [
      ['the first walk', took[0]!],
      ['the walks after it', took.slice(1).flat()]
    ] as const) {
      const seconds = times.reduce((sum, each) => sum + each) / 1000
      yield { name: `rate of ${name}, ${host.name}`, value: times.length / seconds, unit: 'requests/s' }
      yield { name: `p99 of ${name}, ${host.name}`, value: quantile(times, 0.99), unit: 'ms' }
    }
    connection.close()
    await server.stop()
  }
}

/** The milliseconds that each answer took. */
async function walkOnce(connection: Connection, token: string): Promise<number[]> {
  const took: number[] = []
  const next = new Set(['/redfish/v1/'])
  for (const path of next) {
    const from = performance.now()
    connection.write(`GET ${path} HTTP/1.1\r\nHost: bmc\r\nX-Auth-Token: ${token}\r\nAccept-Encoding: gzip\r\n\r\n`)
    const answer = await connection.response()
    took.push(performance.now() - from)
    if (answer?.status !== 200) throw new Error(`${path}: ${answer?.status}`)
    const body = answer.headers['content-encoding'] === 'gzip' ? gunzipSync(answer.body) : answer.body
    for (const link of links(JSON.parse(body.toString()))) next.add(link)
  }
  return took
}
