import { nobody, password } from '#test/host/server.ts'
import { Board, build, missingImage } from '#test/image/board.ts'
import type { Figure } from './figures.ts'
import { get, Load } from './load.ts'
import { chassis, type Measurement } from './measurement.ts'

const requests = 500
const starts = ['new', 'used'] as const

/** The firmware image on the emulated board: flash, memory, start, throughput. */
export async function* board(measurement: Measurement): AsyncGenerator<Figure> {
  if (missingImage) throw new Error(missingImage)
  const image = build(measurement, { password })
  yield { name: 'board: flash used', value: image.whole, unit: 'B' }
  yield { name: 'board: flash used besides the kernel', value: image.besidesKernel, unit: 'B' }
  for (const data of starts) {
    const from = performance.now()
    const board = await Board.start(measurement, image)
    await board.up()
    const { status } = await board.service.get('/redfish/v1/', nobody)
    if (status !== 200) throw new Error(`the board answered ${status}`)
    yield { name: `board: first 200 after reset, ${data} data partition`, value: performance.now() - from, unit: 'ms' }
    if (data === 'used') yield* running(board)
    await board.cut()
  }
}

async function* running(board: Board): AsyncGenerator<Figure> {
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
}
