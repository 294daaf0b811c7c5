import type { Listeners } from '#runtime/base/listeners.ts'
import { type Answer, Bus, type Call } from './bus.ts'
import type { OpenChannel } from './channel.ts'

/**
 * Calls a method with descriptors, or one that answers with some, on a connection of its own.
 *
 * @param socket the path of the socket of the bus
 * @param ending ends the call, which then fails with `ENODEV`
 * @throws {HalError} as `Bus.open` and `Bus.call`
 */
export async function callPassing(
  open: OpenChannel,
  socket: string,
  call: Call,
  ending?: Listeners<void>
): Promise<Answer> {
  let bus: Bus | undefined
  let isOver = false
  const stop = ending?.add(() => {
    isOver = true
    bus?.close()
  })
  try {
    bus = await Bus.open(socket, undefined, open)
    if (isOver) bus.close()
    return await bus.exchange(call)
  } finally {
    stop?.()
    bus?.close()
  }
}
