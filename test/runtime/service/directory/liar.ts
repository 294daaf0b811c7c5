import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { concatenated, utf8, utf8Text } from '#runtime/base/bytes.ts'
import { children, type Element, element, integer, part, read, sequence, set } from '#runtime/base/der.ts'
import { messageLength } from '#runtime/service/directory/messages.ts'
import { Authority, serverExtensions } from '#test/host/authority.ts'
import type { Scope } from '#test/host/server.ts'

const text = (value: string, tag = 0x04) => element(tag, utf8(value))
const enumerated = (value: number) => element(0x0a, Uint8Array.of(value))

/** A request as it came: `search` with the value of its only comparison, `bind` with the name. */
export interface Asked {
  readonly id: number
  readonly kind: 'bind' | 'search' | 'other'
  readonly name: string
  /** Of all comparisons of a search. */
  readonly values: readonly string[]
}

/** A message of a server. */
export const message = (id: number, operation: Uint8Array) => sequence(integer(Uint8Array.of(id)), operation)

/** The end of an operation. */
export const result = ({ id, kind }: Pick<Asked, 'id' | 'kind'>, code = 0, diagnostic = '') =>
  message(id, element(kind === 'bind' ? 0x61 : 0x65, enumerated(code), text(''), text(diagnostic)))

const startTlsResult = ({ id }: Asked, code: number) => message(id, element(0x78, enumerated(code), text(''), text('')))

/** An entry of a search. */
export const entry = (
  { id }: Pick<Asked, 'id'>,
  dn: string,
  attributes: Readonly<Record<string, readonly string[]>>
) => {
  const lists = Object.entries(attributes).map(([type, values]) =>
    sequence(text(type), set(...values.map((each) => text(each))))
  )
  return message(id, element(0x64, text(dn), sequence(...lists)))
}

type Answers = (asked: Asked, socket: TLSSocket) => Uint8Array | undefined

/** A directory that says what a test has it say; over TLS. */
export class Liar {
  readonly authority: Authority
  readonly asked: Asked[] = []
  /** With TLS from the start. */
  readonly port: number
  /** With StartTLS. */
  readonly startTlsPort: number
  answers: Answers
  /** Sent with the answer to StartTLS, before TLS: in front of it, and behind it. */
  ahead: Uint8Array = new Uint8Array()
  early: Uint8Array = new Uint8Array()
  /** The answer to StartTLS: another one than 0 refuses it. */
  startTlsCode = 0
  /** Bytes that came without TLS after StartTLS was refused. */
  readonly plain: Uint8Array[] = []
  readonly #sockets: Set<Socket>

  private constructor(
    authority: Authority,
    port: number,
    startTlsPort: number,
    sockets: Set<Socket>,
    answers: Answers
  ) {
    this.authority = authority
    this.#sockets = sockets
    this.port = port
    this.startTlsPort = startTlsPort
    this.answers = answers
  }

  static async open(t: Scope, answers: Answers): Promise<Liar> {
    const authority = new Authority(t, 'Liars')
    const identity = authority.issue({ subject: '/CN=liar', extensions: serverExtensions })
    const sockets = new Set<Socket>()
    const keep = (socket: Socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    const server = createServer(identity, (socket) => {
      keep(socket)
      liar.#serve(socket)
    })
    const plain = createTcpServer((socket) => {
      keep(socket)
      socket.on('error', () => undefined)
      socket.once('data', (chunk) => {
        socket.write(concatenated([liar.ahead, startTlsResult(readRequest(chunk), liar.startTlsCode), liar.early]))
        if (liar.startTlsCode === 0) server.emit('connection', socket)
        else socket.on('data', (more) => liar.plain.push(more))
      })
    })
    const ports: number[] = []
    for (const each of [server, plain]) {
      each.listen(0, '127.0.0.1')
      await once(each, 'listening')
      ports.push((each.address() as AddressInfo).port)
    }
    t.teardown(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
      plain.close()
    })
    const [port = 0, startTlsPort = 0] = ports
    const liar = new Liar(authority, port, startTlsPort, sockets, answers)
    return liar
  }

  /** Waits until no connection is open. */
  async closed(): Promise<void> {
    for (const socket of this.#sockets) await once(socket, 'close')
  }

  #serve(socket: TLSSocket): void {
    let held: Uint8Array = new Uint8Array()
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      held = concatenated([held, chunk])
      for (
        let length = messageLength(held);
        length !== undefined && length <= held.length;
        length = messageLength(held)
      ) {
        const asked = readRequest(held.subarray(0, length))
        held = held.slice(length)
        this.asked.push(asked)
        const answer = this.answers(asked, socket)
        if (answer !== undefined && !socket.destroyed) socket.write(answer)
      }
    })
  }
}

function readRequest(bytes: Uint8Array): Asked {
  const [id, operation] = children(read(bytes))
  if (id === undefined || operation === undefined) throw new RangeError('no request')
  const number = id.content.reduce((sum, byte) => sum * 256 + byte, 0)
  const values: string[] = []
  if (operation.tag === 0x60)
    return { id: number, kind: 'bind', name: utf8Text(part(children(operation), 1).content), values }
  if (operation.tag !== 0x63) return { id: number, kind: 'other', name: '', values }
  const filter = part(children(operation), 6)
  values.push(...compared(filter))
  return { id: number, kind: 'search', name: (filter.tag === 0xa3 && values[0]) || '', values }
}

function compared(filter: Element): string[] {
  if (filter.tag === 0xa3) return [utf8Text(part(children(filter), 1).content)]
  return filter.tag === 0xa0 || filter.tag === 0xa1 ? children(filter).flatMap(compared) : []
}
