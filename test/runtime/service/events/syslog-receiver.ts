import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls'
import type { Json, Scope } from '#test/host/server.ts'

/** A message of syslog as it arrived: the fields of RFC 5424, and its text as JSON. */
export interface Message {
  readonly priority: number
  readonly time: string
  readonly host: string
  readonly program: string
  readonly kind: string
  readonly json: Json
  /** The subject of the certificate that the sender showed. */
  readonly shown: string | undefined
}

const form = /^<(\d{1,3})>1 (\S+) (\S+) (\S+) - (\S+) - (.*)$/s

/** A receiver of syslog over TLS (RFC 5425). */
export class SyslogReceiver {
  readonly port: number
  readonly received: Message[] = []
  readonly sockets = new Set<TLSSocket>()
  connections = 0
  #taken = 0
  #arrived: () => void = () => undefined

  private constructor(port: number) {
    this.port = port
  }

  get uri(): string {
    return `syslog://127.0.0.1:${this.port}`
  }

  static async open(t: Scope, options: TlsOptions, port = 0): Promise<SyslogReceiver> {
    const server = createServer(options, (socket) => receiver.#serve(socket))
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    const receiver = new SyslogReceiver((server.address() as AddressInfo).port)
    t.teardown(() => {
      server.close()
      receiver.cut()
    })
    return receiver
  }

  /** The next message that was not asked for yet, and is of a kind. */
  async next(kind: string): Promise<Message> {
    for (;;) {
      while (this.#taken >= this.received.length) {
        await new Promise<void>((resolve) => {
          this.#arrived = resolve
        })
      }
      const message = this.received[this.#taken++] as Message
      if (message.kind === kind) return message
    }
  }

  /** Closes all connections. */
  cut(): void {
    for (const socket of this.sockets) socket.end()
  }

  #serve(socket: TLSSocket): void {
    this.connections += 1
    this.sockets.add(socket)
    const shown = (socket.getPeerCertificate().subject as { CN?: string } | undefined)?.CN
    let rest = Buffer.alloc(0)
    socket.on('close', () => this.sockets.delete(socket))
    // A sender that is killed resets its connection.
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      for (let space = rest.indexOf(' '); space >= 0; space = rest.indexOf(' ')) {
        const end = space + 1 + Number(rest.subarray(0, space))
        if (rest.length < end) break
        this.#take(rest.subarray(space + 1, end).toString(), shown)
        rest = rest.subarray(end)
      }
    })
  }

  #take(text: string, shown: string | undefined): void {
    const [, priority, time = '', host = '', program = '', kind = '', json = ''] = form.exec(text) ?? []
    if (priority === undefined) throw new Error(`no message of syslog: ${text}`)
    this.received.push({ priority: Number(priority), time, host, program, kind, json: JSON.parse(json), shown })
    this.#arrived()
  }
}
