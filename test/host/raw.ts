import { once } from 'node:events'
import type { Socket } from 'node:net'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'

/** A response as it stands in the bytes of a connection. */
export interface RawResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** A TLS connection on which a test writes and reads bytes. */
export class Connection {
  readonly socket: TLSSocket
  /** When the other side has closed; never rejects. */
  readonly closed: Promise<void>
  #received = Buffer.alloc(0)

  constructor(socket: TLSSocket) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk])
    })
    this.closed = closed(socket)
  }

  static async open(port: number, options: ConnectionOptions = {}): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
    await once(socket, 'secureConnect')
    return new Connection(socket)
  }

  write(bytes: string | Buffer): void {
    this.socket.write(bytes)
  }

  /** What arrived and has not been read yet. */
  get received(): Buffer {
    return this.#received
  }

  /** The next response; undefined when the connection is closed before one is whole. */
  async response(): Promise<RawResponse | undefined> {
    for (;;) {
      const found = parse(this.#received)
      if (found) {
        this.#received = this.#received.subarray(found.length)
        return found.response
      }
      if (this.socket.destroyed) return undefined
      await Promise.race([once(this.socket, 'data').catch(() => {}), this.closed])
    }
  }

  /** The responses until the server closes the connection. */
  async responses(): Promise<RawResponse[]> {
    const all: RawResponse[] = []
    for (let next = await this.response(); next; next = await this.response()) all.push(next)
    return all
  }

  close(): void {
    this.socket.destroy()
  }
}

/** When a connection has ended. A server that resets it has closed it. */
export function closed(socket: Socket): Promise<void> {
  socket.on('error', () => socket.destroy())
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

function parse(bytes: Buffer): { response: RawResponse; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...fields] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers: Record<string, string> = {}
  for (const field of fields) {
    const colon = field.indexOf(':')
    headers[field.slice(0, colon).toLowerCase()] = field.slice(colon + 1).trim()
  }
  const length = end + 4 + Number(headers['content-length'] ?? 0)
  if (bytes.length < length) return undefined
  return { response: { status: Number(line.split(' ')[1]), headers, body: bytes.subarray(end + 4, length) }, length }
}
