import { concatenated, utf8Text, viewOf } from '../bytes.ts'
import {
  begins,
  type Conversation,
  type Export,
  Feed,
  halves,
  handshake,
  heads,
  infos,
  magic,
  optionReplies,
  options,
  requests,
  type Wire,
  wide,
  wideAt,
  words
} from './format.ts'

/** The most that the data of a reply to an option may have. */
const longestReply = 8192

/** A read whose answer is due. */
interface Due {
  readonly length: number
  resolve(data: Uint8Array): void
  reject(error: Error): void
}

/** Reads what a server exports. A server that does not keep to the protocol loses its connection. */
export class NbdClient {
  /** Settles when the server has said what it exports. It rejects when the connection ends before. */
  readonly opened: Promise<Export>
  readonly #wire: Wire
  readonly #due = new Map<number, Due>()
  readonly #feed: Feed
  #last = 0
  #over = false
  #open: (of: Export) => void = () => undefined
  #fail: (error: Error) => void = () => undefined

  constructor(wire: Wire) {
    this.#wire = wire
    this.opened = new Promise((resolve, reject) => {
      this.#open = resolve
      this.#fail = reject
    })
    this.opened.catch(() => undefined)
    this.#feed = new Feed(this.#converse())
  }

  received(chunk: Uint8Array): void {
    this.#feed.add(chunk)
  }

  /**
   * @param length at most `longestRead`
   * @throws Error when the server cannot read it, or the connection ends
   */
  read(offset: number, length: number): Promise<Uint8Array> {
    if (this.#over) return Promise.reject(ended())
    this.#last = (this.#last + 1) % 2 ** 32
    const cookie = this.#last
    const answer = new Promise<Uint8Array>((resolve, reject) => this.#due.set(cookie, { length, resolve, reject }))
    this.#wire.write(words(magic.request, requests.read, 0, cookie, ...wide(offset), length))
    return answer
  }

  /** The connection has gone: all that is due fails. */
  closed(): void {
    if (this.#over) return
    this.#over = true
    this.#fail(ended())
    for (const { reject } of this.#due.values()) reject(ended())
    this.#due.clear()
  }

  *#converse(): Conversation {
    const of = yield* this.#negotiate()
    if (of !== undefined) {
      this.#open(of)
      while (yield* this.#hear());
    }
    if (!this.#over) this.#wire.end()
    this.closed()
  }

  /** @returns undefined where the server does not keep to the protocol, or has no such export */
  *#negotiate(): Generator<number, Export | undefined, Uint8Array> {
    const greeting = viewOf(yield 18)
    if (!begins(greeting, [...magic.server, ...magic.option])) return undefined
    const flags = greeting.getUint16(16) & handshake
    if ((flags & 1) === 0) return undefined
    const wanted = concatenated([words(0), halves(1, infos.name)])
    this.#wire.write(concatenated([words(flags, ...magic.option, options.go, wanted.length), wanted]))
    let size: number | undefined
    let name = ''
    for (;;) {
      const head = viewOf(yield heads.optionReply)
      const [option, type, length] = [head.getUint32(8), head.getUint32(12), head.getUint32(16)]
      if (!begins(head, magic.optionReply) || option !== options.go || length > longestReply) return undefined
      const data = yield length
      if (type === optionReplies.acknowledged) return size === undefined ? undefined : { size, name }
      if (type !== optionReplies.info || length < 2) return undefined
      const info = viewOf(data).getUint16(0)
      if (info === infos.export && length === 12) size = wideAt(viewOf(data), 2)
      if (info === infos.name) name = utf8Text(data.subarray(2))
    }
  }

  /** @returns false for what is no answer to a request */
  *#hear(): Generator<number, boolean, Uint8Array> {
    const head = viewOf(yield heads.reply)
    const cookie = head.getUint32(12)
    const due = this.#due.get(cookie)
    if (head.getUint32(0) !== magic.reply || head.getUint32(8) !== 0 || due === undefined) return false
    const error = head.getUint32(4)
    const data = error === 0 ? yield due.length : undefined
    this.#due.delete(cookie)
    if (data !== undefined) due.resolve(data)
    else due.reject(new Error(`the server answers with error ${error}`))
    return true
  }
}

function ended(): Error {
  return new Error('the connection has ended')
}
