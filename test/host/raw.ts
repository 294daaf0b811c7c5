import { once } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'

/** A response as it stands in the bytes of a connection. */
export interface RawResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Bytes of all of it. */
  readonly length: number
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

  /** Bytes that arrived and have not been read yet. */
  get received(): Buffer {
    return this.#received
  }

  /** The next response; undefined when the connection is closed before one is whole. */
  async response(): Promise<RawResponse | undefined> {
    for (;;) {
      const found = parse(this.#received)
      if (found) {
        this.#received = this.#received.subarray(found.length)
        return found
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

/** The head of a request; `fields` end with their line breaks. */
export function head(method: string, path: string, fields: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: bmc\r\n${fields}\r\n`
}

/** When a connection has ended. A server that resets it has closed it. */
export function closed(socket: Socket): Promise<void> {
  socket.on('error', () => socket.destroy())
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

/** The answer to bytes without TLS. */
export async function toPort(port: number, bytes: Buffer): Promise<Buffer> {
  const received: Buffer[] = []
  const socket = connectPlain(port, '127.0.0.1', () => socket.write(bytes))
  socket.on('data', (chunk) => received.push(chunk))
  await closed(socket)
  return Buffer.concat(received)
}

function parse(bytes: Buffer): RawResponse | undefined {
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
  return { status: Number(line.split(' ')[1]), headers, body: bytes.subarray(end + 4, length), length }
}
