import { type Answer, Bus, type Call } from './bus.ts'
import type { OpenChannel } from './channel.ts'

/**
 * Calls a method with descriptors, or one that answers with some, on a connection of its own.
 *
 * @param socket the path of the socket of the bus
 * @throws {HalError} as `Bus.open` and `Bus.call`
 */
export async function callPassing(open: OpenChannel, socket: string, call: Call): Promise<Answer> {
  const bus = await Bus.open(socket, call.timeout, open)
  try {
    return await bus.exchange(call)
  } finally {
    bus.close()
  }
}
