import { readFileSync } from 'node:fs'
import { anonymous, password } from '#test/host/server.ts'
import { Board, build, type Image, missingImage } from '#test/image/board.ts'
import type { Figure } from './figures.ts'
import { get, Load } from './load.ts'
import { chassis, type Measurement } from './measurement.ts'

const requests = 500
const starts = ['new', 'used'] as const

/** The firmware image on the emulated board: flash, memory, start, throughput, and how it answers during an update. */
export async function* board(measurement: Measurement): AsyncGenerator<Figure> {
  if (missingImage) throw new Error(missingImage)
  const image = build(measurement, { password })
  const next = build(measurement, { password, version: '0.2' })
  yield { name: 'board: flash used', value: image.whole, unit: 'B' }
  yield { name: 'board: flash used besides the kernel', value: image.besidesKernel, unit: 'B' }
  for (const data of starts) {
    const from = performance.now()
    const board = await Board.start(measurement, image)
    await board.up()
    const { status } = await board.service.get('/redfish/v1/', anonymous)
    if (status !== 200) throw new Error(`the board answered ${status}`)
    yield { name: `board: first 200 after reset, ${data} data partition`, value: performance.now() - from, unit: 'ms' }
    if (data === 'used') yield* running(board, next)
    await board.cut()
  }
}

async function* running(board: Board, next: Image): AsyncGenerator<Figure> {
  yield { name: 'board: memory idle', value: await board.memory(), unit: 'B' }
  await board.service.get(chassis)
  for (const connections of [1, 8]) {
    const load = await Load.open(board.service, connections)
    const from = performance.now()
    await load.send(requests, get(chassis))
    yield {
      name: `board: throughput with ${connections}`,
      value: (requests / (performance.now() - from)) * 1000,
      unit: 'requests/s'
    }
    load.close()
  }
  yield* updating(board, next)
}

/** The longest that a client waits for an answer in the two parts of an update. */
async function* updating({ service }: Board, { update }: Image): AsyncGenerator<Figure> {
  const { token } = await service.login()
  const headers = { ...token, 'content-type': 'application/octet-stream' }
  const started = await service.request('POST', '/redfish/v1/UpdateService/update/', headers, readFileSync(update))
  if (started.status !== 202) throw new Error(`the board answered ${started.status} to an update`)
  let done = 0
  for (const [part, end] of [
    ['before an update is written', 10],
    ['while an update is written', 90]
  ] as const) {
    let longest = 0
    while (done < end) {
      const from = performance.now()
      done = (await service.get(String(started.headers.location), token)).json.PercentComplete
      longest = Math.max(longest, performance.now() - from)
    }
    yield { name: `board: slowest answer ${part}`, value: longest, unit: 'ms' }
  }
}
