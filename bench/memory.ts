import { resident } from '#test/host/process.ts'
import type { Figure } from './figures.ts'
import { get, Load } from './load.ts'
import { chassis, hostNamed, type Measurement, startAsShipped } from './measurement.ts'

const samples = 10
const perSample = 10_000
const paths = [chassis, '/redfish/v1/Systems/1/', '/redfish/v1/Managers/1/', '/redfish/v1/', '/redfish/v1/Systems/']

/** Resident memory of the binary: idle, and with 64 TLS connections while 100,000 requests pass. */
export async function* memory(measurement: Measurement): AsyncGenerator<Figure> {
  const server = await startAsShipped(measurement, hostNamed('x86-64'))
  yield { name: 'memory idle', value: resident(server.process.pid), unit: 'B' }
  const load = await Load.open(server, 64)
  const seen: number[] = []
  for (let sample = 0; sample < samples; sample++) {
    for (const path of paths) await load.send(perSample / paths.length, get(path))
    seen.push(resident(server.process.pid))
    yield { name: `memory after ${((sample + 1) * perSample).toLocaleString('en')}`, value: seen.at(-1)!, unit: 'B' }
  }
  yield { name: 'memory with 64 connections after 100,000 requests', value: seen.at(-1)!, unit: 'B' }
  const grown = seen.at(-1)! - seen[samples / 2 - 1]!
  yield { name: 'memory grown over the last 50,000 of them', value: grown, unit: 'B' }
  load.close()
  await server.stop()
  const node = await startAsShipped(measurement, hostNamed('Node.js'))
  yield { name: 'memory idle, Node.js', value: resident(node.process.pid), unit: 'B' }
  await node.stop()
}
