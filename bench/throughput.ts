import { spawnSync } from 'node:child_process'
import { isInstalled } from '#test/host/hosts.ts'
import { Connection, type RawResponse } from '#test/host/raw.ts'
import { admin } from '#test/host/server.ts'
import { type Figure, median } from './figures.ts'
import { get } from './load.ts'
import { chassis, hostNamed, type Measurement, startAsShipped } from './measurement.ts'
import { bareNode, nginx } from './peers.ts'

const rounds = 5
const seconds = 2

/** The result of one round of wrk: requests a second, and latencies in milliseconds. */
interface Round {
  readonly rate: number
  readonly p50: number
  readonly p99: number
}

/**
 * Requests a second and latencies with 1, 16 and 64 keep-alive TLS connections: the binary, the Node.js host, and two
 * servers that only send the same bytes. The rounds are interleaved, so that what else the machine does hits all.
 */
export async function* throughput(measurement: Measurement): AsyncGenerator<Figure> {
  if (!isInstalled('wrk')) throw new Error('wrk: not here; install wrk')
  const binary = await startAsShipped(measurement, hostNamed('x86-64'))
  const node = await startAsShipped(measurement, hostNamed('Node.js'))
  const answer = await answerOf(binary.port)
  const ports = {
    'x86-64': binary.port,
    'Node.js': node.port,
    'bare node:https': await bareNode(measurement, answer),
    nginx: await nginx(measurement, answer)
  }
  for (const [name, port] of Object.entries(ports)) {
    yield { name: `length of an answer, ${name}`, value: (await answerOf(port)).length, unit: 'B' }
  }

  for (const connections of [1, 16, 64]) {
    const found = new Map<string, Round[]>(Object.keys(ports).map((name) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const [name, port] of Object.entries(ports)) found.get(name)!.push(wrk(port, connections))
    }
    const middle = (name: string, of: keyof Round) => median(found.get(name)!.map((round) => round[of]))
    for (const name of found.keys()) {
      yield { name: `throughput with ${connections}, ${name}`, value: middle(name, 'rate'), unit: 'requests/s' }
      yield { name: `p50 with ${connections}, ${name}`, value: middle(name, 'p50'), unit: 'ms' }
      yield { name: `p99 with ${connections}, ${name}`, value: middle(name, 'p99'), unit: 'ms' }
    }
    for (const [name, to] of [
      ['x86-64', 'Node.js'],
      ['Node.js', 'bare node:https'],
      ['x86-64', 'nginx']
    ] as const) {
      const value = median(found.get(name)!.map(({ rate }, round) => rate / found.get(to)![round]!.rate))
      yield { name: `throughput with ${connections}, ${name} / ${to}`, value, unit: 'ratio' }
    }
  }
}

async function answerOf(port: number): Promise<RawResponse> {
  const connection = await Connection.open(port)
  connection.write(get(chassis))
  const answer = await connection.response()
  connection.close()
  if (answer?.status !== 200) throw new Error(`answered ${answer?.status}`)
  return answer
}

function wrk(port: number, connections: number): Round {
  const { status, stdout, stderr } = spawnSync(
    'wrk',
    [
      ...['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`],
      ...['--script', 'bench/wrk.lua', '--header', `Authorization: ${admin.authorization}`],
      `https://127.0.0.1:${port}${chassis}`
    ],
    { encoding: 'utf8' }
  )
  if (status !== 0) throw new Error(`wrk: ${stderr}`)
  const { errors, ...round } = JSON.parse(stdout.trim().split('\n').at(-1)!)
  if (errors > 0) throw new Error(`wrk: ${errors} errors at port ${port}`)
  return round
}
