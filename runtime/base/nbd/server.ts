import { concatenated, utf8, viewOf } from '../bytes.ts'
import {
  begins,
  type Conversation,
  type Export,
  errors,
  Feed,
  halves,
  handshake,
  heads,
  infos,
  longestRead,
  magic,
  mostReads,
  optionReplies,
  options,
  readOnly,
  requests,
  type Wire,
  wide,
  wideAt,
  words
} from './format.ts'

/** The most that the data of an option may have: a name has 4096 bytes at most. */
const longestOption = 8192

/** Serves one export to one client, for reading. A client that does not keep to the protocol loses its connection. */
export class NbdServer {
  readonly #export: Export
  readonly #wire: Wire
  readonly #read: (offset: number, length: number) => Promise<Uint8Array>
  readonly #feed: Feed
  #due = 0
  #over = false

  /** @param read reads a part of the export; when it rejects, the client receives the error EIO */
  constructor(of: Export, wire: Wire, read: (offset: number, length: number) => Promise<Uint8Array>) {
    this.#export = of
    this.#wire = wire
    this.#read = read
    this.#feed = new Feed(this.#converse())
  }

  received(chunk: Uint8Array): void {
    this.#feed.add(chunk)
  }

  /** The connection has gone: answers that are due are not sent. */
  closed(): void {
    this.#over = true
  }

  *#converse(): Conversation {
    this.#say(words(...magic.server, ...magic.option), halves(handshake))
    const flags = viewOf(yield 4).getUint32(0)
    if ((flags & ~handshake) === 0 && (flags & 1) === 1 && (yield* this.#choose((flags & 2) === 0))) {
      while (yield* this.#answer());
    }
    this.#end()
  }

  /** Answers options until one of them begins the transmission. @returns false where none does */
  *#choose(zeroes: boolean): Generator<number, boolean, Uint8Array> {
    for (;;) {
      const head = viewOf(yield heads.option)
      const [option, length] = [head.getUint32(8), head.getUint32(12)]
      if (!begins(head, magic.option) || length > longestOption) return false
      const data = yield length
      const reply = (type: number, ...content: readonly Uint8Array[]) => {
        const whole = concatenated(content)
        this.#say(words(...magic.optionReply, option, type, whole.length), whole)
      }
      if (option === options.exportName) {
        this.#say(words(...wide(this.#export.size)), halves(readOnly), new Uint8Array(zeroes ? 124 : 0))
        return true
      }
      if (option === options.abort) {
        reply(optionReplies.acknowledged)
        return false
      }
      if (option !== options.go && option !== options.info) reply(optionReplies.unsupported)
      else {
        const wanted = wantedInfos(data)
        if (wanted === undefined) reply(optionReplies.invalid)
        else {
          for (const info of this.#infos(wanted)) reply(optionReplies.info, ...info)
          reply(optionReplies.acknowledged)
          if (option === options.go) return true
        }
      }
    }
  }

  #infos(wanted: readonly number[]): Uint8Array[][] {
    const { size, name } = this.#export
    const infosOf: Uint8Array[][] = [[halves(infos.export), words(...wide(size)), halves(readOnly)]]
    if (wanted.includes(infos.name)) infosOf.push([halves(infos.name), utf8(name)])
    if (wanted.includes(infos.blockSize)) infosOf.push([halves(infos.blockSize), words(1, 4096, longestRead)])
    return infosOf
  }

  /** Answers a request, when it can. @returns false for the last one */
  *#answer(): Generator<number, boolean, Uint8Array> {
    const head = yield heads.request
    const view = viewOf(head)
    const [type, offset, length] = [view.getUint16(6), wideAt(view, 16), view.getUint32(24)]
    if (view.getUint32(0) !== magic.request || type === requests.disconnect) return false
    const cookie = head.slice(8, 16)
    const reply = (error: number, data = new Uint8Array()) => this.#say(words(magic.reply, error), cookie, data)
    const isSound = type === requests.read && length <= longestRead && offset + length <= this.#export.size
    if (!isSound || length === 0) {
      reply(isSound ? 0 : errors.invalid)
      // After a write follows what is to be written, which nothing here takes.
      return type === requests.read
    }
    this.#due += 1
    if (this.#due > mostReads) return false
    this.#read(offset, length).then(
      (data) => {
        this.#due -= 1
        reply(0, data as Uint8Array<ArrayBuffer>)
      },
      () => {
        this.#due -= 1
        reply(errors.io)
      }
    )
    return true
  }

  #say(...parts: readonly Uint8Array[]): void {
    if (!this.#over) this.#wire.write(concatenated(parts))
  }

  #end(): void {
    if (!this.#over) this.#wire.end()
    this.#over = true
  }
}

/** The informations that a client asks for: after the name of an export, which does not matter. */
function wantedInfos(data: Uint8Array): number[] | undefined {
  const view = viewOf(data)
  const name = data.length < 6 ? Number.NaN : view.getUint32(0)
  const count = name <= data.length - 6 ? view.getUint16(4 + name) : Number.NaN
  if (data.length !== 6 + name + 2 * count) return undefined
  return Array.from({ length: count }, (_, index) => view.getUint16(6 + name + 2 * index))
}
