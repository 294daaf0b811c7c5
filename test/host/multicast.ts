import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { Test } from 'tap'

/** Who listens to a group of multicast on this machine's own interface, on a port that was free. */
export async function listener(t: Test, group: string) {
  const socket = await bound(t, group)
  socket.addMembership(group, '127.0.0.1')
  const messages: string[] = []
  socket.on('message', (message) => messages.push(message.toString('latin1')))
  return {
    port: socket.address().port,
    /** The first message that has come, or comes, that is as wanted. */
    async hears(isWanted: (message: string) => boolean): Promise<string> {
      for (;;) {
        const found = messages.find(isWanted)
        if (found !== undefined) return found
        await once(socket, 'message')
      }
    }
  }
}

/** Sends a message to a group, and settles with the first answer. */
export async function ask(t: Test, message: string, group: string, port: number): Promise<string> {
  const socket = await bound(t, '127.0.0.1')
  socket.setMulticastInterface('127.0.0.1')
  socket.send(message, port, group)
  const [answer] = (await once(socket, 'message')) as [Buffer, RemoteInfo]
  return answer.toString('latin1')
}

async function bound(t: Test, address: string): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  t.teardown(() => socket.close())
  socket.bind({ address, port: 0 })
  await once(socket, 'listening')
  return socket
}
