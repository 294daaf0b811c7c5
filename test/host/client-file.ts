import type { Socket } from 'node:net'
import { Agent, buildConnector, WebSocket } from 'undici'
import { NbdServer } from '#runtime/base/nbd/server.ts'
import { admin, type Headers, type Scope, type Server } from './server.ts'

/** A file of a client, as it serves it to a drive. */
export interface Given {
  /** How many bytes were read. */
  readonly read: () => number
  /** Settles with the status of the end, and its words. */
  readonly closed: Promise<string>
  /** Holds back all answers until it is called again. */
  pause(isPaused: boolean): void
  /** Says goodbye. */
  leave(): void
  /** Goes without a word. */
  vanish(): void
}

export interface Giving {
  readonly headers?: Headers
  readonly name?: string
  readonly protocols?: string[]
}

/** Gives a file to a drive, over a WebSocket by a client that is not ours. Rejects where the service refuses. */
export async function give(t: Scope, server: Server, uri: string, file: Uint8Array, more: Giving = {}): Promise<Given> {
  const { headers = admin, name = 'disc.iso', protocols = [] } = more
  const connector = buildConnector({ rejectUnauthorized: false })
  let line: Socket | null = null
  const connect: typeof connector = (options, callback) =>
    connector(options, (...result) => {
      line = result[1]
      callback(...result)
    })
  const dispatcher = new Agent({ connect })
  const socket = new WebSocket(`wss://127.0.0.1:${server.port}${uri}`, { dispatcher, headers, protocols })
  socket.binaryType = 'arraybuffer'
  t.teardown(() => dispatcher.destroy())
  const closed = new Promise<string>((resolve) =>
    socket.addEventListener('close', ({ code, reason }) => resolve(`${code} ${reason}`.trim()))
  )
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('refused')))
  })
  let read = 0
  let goOn = () => {}
  let paused: Promise<void> | undefined
  const wire = { write: (bytes: Uint8Array) => socket.send(bytes), end: () => socket.close() }
  const served = new NbdServer({ size: file.length, name }, wire, async (offset, length) => {
    await paused
    read += length
    return file.subarray(offset, offset + length)
  })
  socket.addEventListener('message', ({ data }) => served.received(new Uint8Array(data as ArrayBuffer)))
  return {
    read: () => read,
    closed,
    pause(isPaused) {
      goOn()
      paused = undefined
      if (!isPaused) return
      paused = new Promise((resolve) => {
        goOn = resolve
      })
    },
    leave: () => socket.close(),
    vanish: () => line?.destroy()
  }
}
