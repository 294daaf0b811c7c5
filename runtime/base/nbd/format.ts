import { concatenated, viewOf } from '../bytes.ts'

/*
 * Network block devices, as far as a file is read: the handshake "fixed newstyle" and simple replies of the NBD protocol.
 * Numbers are big-endian.
 */

/** A file that a server offers as a block device. */
export interface Export {
  /** Bytes. */
  readonly size: number
  /** For people; may be empty. */
  readonly name: string
}

/** The connection that a side speaks over. */
export interface Wire {
  write(bytes: Uint8Array): void
  /** Ends it. Nothing is written after that. */
  end(): void
}

/** The most bytes that a request asks for. */
export const longestRead = 32_768

/** The most requests whose answers are due at the same time: as many as QEMU sends. */
export const mostReads = 16

/** First words of messages: two for each of 64 bits. */
export const magic = {
  server: [0x4e42_444d, 0x4147_4943],
  option: [0x4948_4156, 0x454f_5054],
  optionReply: [0x0003_e889, 0x0455_65a9],
  request: 0x2560_9513,
  reply: 0x6744_6698
} as const

/** Flags of the handshake: fixed newstyle, no zeroes after an export. */
export const handshake = 0b11

/** Flags of an export: there are flags, and nothing can be written. */
export const readOnly = 0b11

export const options = { exportName: 1, abort: 2, info: 6, go: 7 } as const

export const optionReplies = { acknowledged: 1, info: 3, unsupported: 0x8000_0001, invalid: 0x8000_0003 } as const

export const infos = { export: 0, name: 1, blockSize: 3 } as const

export const requests = { read: 0, disconnect: 2 } as const

/** Numbers of errors, which are those of Linux. */
export const errors = { io: 5, invalid: 22 } as const

/** Lengths of the heads of messages. */
export const heads = { option: 16, optionReply: 20, request: 28, reply: 16 } as const

/** Words of 32 bits. */
export function words(...numbers: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(numbers.length * 4)
  const view = viewOf(bytes)
  for (const [index, number] of numbers.entries()) view.setUint32(index * 4, number)
  return bytes
}

/** Words of 16 bits. */
export function halves(...numbers: readonly number[]): Uint8Array {
  return concatenated(numbers.map((number) => Uint8Array.of(number >> 8, number & 0xff)))
}

/** The two words of a number of 64 bits. */
export function wide(number: number): [number, number] {
  return [Math.floor(number / 2 ** 32), number % 2 ** 32]
}

/** The number of 64 bits that two words are, which may have lost its last digits. */
export function wideAt(view: DataView, at: number): number {
  return view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4)
}

/** Whether these words are there. */
export function begins(view: DataView, expected: readonly number[]): boolean {
  return expected.every((word, index) => view.getUint32(index * 4) === word)
}

/** A side of a conversation: it yields how many bytes it waits for, and goes on with them. It returns at its end. */
export type Conversation = Generator<number, void, Uint8Array>

/** Passes received bytes, in pieces of any size, to a conversation. Drops bytes after its end. */
export class Feed {
  readonly #conversation: Conversation
  #awaited: Uint8Array | undefined
  #filled = 0

  constructor(conversation: Conversation) {
    this.#conversation = conversation
    this.#goOn(conversation.next())
  }

  add(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && this.#awaited !== undefined; ) {
      const part = chunk.subarray(at, at + this.#awaited.length - this.#filled)
      this.#awaited.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled === this.#awaited.length) this.#goOn(this.#conversation.next(this.#awaited))
    }
  }

  #goOn({ done, value }: IteratorResult<number, void>): void {
    this.#filled = 0
    if (done) this.#awaited = undefined
    else if (value === 0) this.#goOn(this.#conversation.next(new Uint8Array()))
    else this.#awaited = new Uint8Array(value as number)
  }
}
