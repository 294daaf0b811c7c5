import type { Test } from 'tap'
import { Agent, WebSocket } from 'undici'
import { admin, type Headers, type Server } from './server.ts'

export const console = '/redfish/v1/Systems/1/SerialConsole'

/** A serial console over a WebSocket. */
export interface Terminal {
  readonly socket: WebSocket
  readonly closed: Promise<number>
  /** Waits for a text. */
  until(part: string): Promise<void>
  type(text: string): void
}

/** A WebSocket by a client that is not ours. Rejects with the status of a refusal. */
export async function openTerminal(
  t: Test,
  server: Server,
  headers: Headers = admin,
  path = console,
  protocols: string[] = []
): Promise<Terminal> {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  const socket = new WebSocket(`wss://127.0.0.1:${server.port}${path}`, { dispatcher, headers, protocols })
  socket.binaryType = 'arraybuffer'
  let text = ''
  let arrived = () => {}
  socket.addEventListener('message', ({ data }) => {
    text += Buffer.from(data as ArrayBuffer).toString('latin1')
    arrived()
  })
  t.teardown(() => dispatcher.destroy())
  const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('refused')))
  })
  const terminal: Terminal = {
    socket,
    closed,
    async until(part) {
      while (!text.includes(part)) {
        await new Promise<void>((resolve) => {
          arrived = resolve
        })
      }
      text = text.slice(text.indexOf(part) + part.length)
    },
    type: (typed) => socket.send(typed)
  }
  return terminal
}
