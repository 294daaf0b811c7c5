import { rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import type { Export } from '#runtime/base/nbd/format.ts'
import { NbdServer } from '#runtime/base/nbd/server.ts'

/** Connections at the same time: the one of the drive, and the one that follows it. */
const mostConnections = 2

/** Exports something as a network block device at a socket of this machine, which a drive of a host reads. */
export class Exported {
  readonly path: string
  readonly #of: Export
  readonly #read: (offset: number, length: number) => Promise<Uint8Array>
  readonly #server: Server
  readonly #connections = new Set<Socket>()

  /** @param path of the socket: in a folder that no other user can enter */
  constructor(path: string, of: Export, read: (offset: number, length: number) => Promise<Uint8Array>) {
    this.path = path
    this.#of = of
    this.#read = read
    this.#server = createServer((socket) => this.#serve(socket))
  }

  /** Settles when the socket is there, in place of one that an earlier process has left. @throws with the system's `code` */
  open(): Promise<void> {
    rmSync(this.path, { force: true })
    return new Promise((resolve, reject) => {
      this.#server.on('error', reject)
      this.#server.on('listening', resolve)
      this.#server.listen(this.path)
    })
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#connections) socket.destroy()
  }

  #serve(socket: Socket): void {
    socket.on('error', () => socket.destroy())
    if (this.#connections.size >= mostConnections) {
      socket.destroy()
      return
    }
    this.#connections.add(socket)
    const wire = { write: (bytes: Uint8Array) => void socket.write(bytes), end: () => void socket.destroy() }
    const server = new NbdServer(this.#of, wire, this.#read)
    socket.on('data', (chunk: Uint8Array) => server.received(chunk))
    socket.on('close', () => {
      this.#connections.delete(socket)
      server.closed()
    })
  }
}
