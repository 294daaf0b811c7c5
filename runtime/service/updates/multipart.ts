import { concatenated } from '#runtime/base/bytes.ts'

/** A fault of a multipart body. */
export class MultipartFault extends Error {}

/** Takes the parts of a body as they come. */
export interface PartTaker {
  /** A part begins. @param name that its field has */
  begin(name: string): void
  add(bytes: Uint8Array): void
  end(): void
}

/** Bytes of the head of a part, at most. */
const longestHead = 4096
const carriageReturn = 0x0d
const none = new Uint8Array()

/**
 * Reads `multipart/form-data` (RFC 7578, RFC 2046 5.1) as its bytes come, and keeps no more of them than a boundary or
 * the head of a part is long.
 */
export class MultipartReader {
  readonly #taker: PartTaker
  /** The delimiter of parts, with the line end before it. */
  readonly #delimiter: Uint8Array
  #state: 'preamble' | 'delimited' | 'head' | 'part' | 'over' = 'preamble'
  /** Bytes that may begin a delimiter. The line end before the first delimiter is optional. */
  #held: Uint8Array = new Uint8Array([carriageReturn, 0x0a])

  /** @param contentType the header of this name. @throws MultipartFault if it names no boundary */
  constructor(contentType: string, taker: PartTaker) {
    const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
    const boundary = quoted ?? plain
    if (boundary === undefined || !/^multipart\/form-data\s*;/i.test(contentType)) {
      throw new MultipartFault('it names no boundary')
    }
    this.#taker = taker
    this.#delimiter = latin1(`\r\n--${boundary}`)
  }

  /** @throws MultipartFault, and what the taker throws */
  add(bytes: Uint8Array): void {
    if (this.#state === 'over') return
    let rest = this.#held.length === 0 ? bytes : concatenated([this.#held, bytes])
    for (let goesOn = true; goesOn && rest.length > 0; ) {
      const { length } = rest
      const state = this.#state
      rest = this.#step(rest)
      goesOn = rest.length < length || this.#state !== state
    }
    this.#held = rest.slice()
  }

  /** @throws MultipartFault if the last delimiter has not come */
  end(): void {
    if (this.#state !== 'over') throw new MultipartFault('it ends too early')
  }

  /** @returns the rest: all of the bytes where there are too few of them */
  #step(bytes: Uint8Array): Uint8Array {
    if (this.#state === 'over') return none
    if (this.#state === 'delimited') return this.#afterDelimiter(bytes)
    if (this.#state === 'head') return this.#head(bytes)
    const at = find(bytes, this.#delimiter)
    const isWhole = at + this.#delimiter.length <= bytes.length
    if (this.#state === 'part') {
      if (at > 0) this.#taker.add(bytes.subarray(0, at))
      if (isWhole) this.#taker.end()
    }
    if (isWhole) this.#state = 'delimited'
    return bytes.subarray(isWhole ? at + this.#delimiter.length : at)
  }

  /** A line end, and the next part; or two hyphens, and the end. White space may stand before (RFC 2046 5.1.1). */
  #afterDelimiter(bytes: Uint8Array): Uint8Array {
    const text = String.fromCharCode(...bytes.subarray(0, 64)).replace(/^[ \t]+/, '')
    const skipped = Math.min(64, bytes.length) - text.length
    if (text.startsWith('--')) {
      this.#state = 'over'
      return none
    }
    if (text.startsWith('\r\n')) {
      this.#state = 'head'
      // The line end stays: a part without a head begins with an empty line.
      return bytes.subarray(skipped)
    }
    if (text.length >= 2 || skipped > 32) throw new MultipartFault('a boundary is followed by other bytes')
    return bytes
  }

  #head(bytes: Uint8Array): Uint8Array {
    const end = find(bytes, headEnd)
    if (end > longestHead) throw new MultipartFault('the head of a part is too long')
    if (end + headEnd.length > bytes.length) return bytes
    const head = String.fromCharCode(...bytes.subarray(0, end))
    const [disposition = ''] = /\r\ncontent-disposition:\s*form-data\s*;[^\r\n]*/i.exec(head) ?? []
    const [, quoted, plain] = /;\s*name=(?:"([^"]*)"|([^\s;"]+))/i.exec(disposition) ?? []
    this.#taker.begin(quoted ?? plain ?? '')
    this.#state = 'part'
    return bytes.subarray(end + headEnd.length)
  }
}

const headEnd = latin1('\r\n\r\n')

/** Index of a text, or of its beginning at the end of the bytes; their length if neither is found. */
function find(bytes: Uint8Array, text: Uint8Array): number {
  for (let at = bytes.indexOf(carriageReturn); at >= 0; at = bytes.indexOf(carriageReturn, at + 1)) {
    let same = 1
    while (same < text.length && bytes[at + same] === text[same]) same += 1
    if (same === text.length || at + same === bytes.length) return at
  }
  return bytes.length
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff)
}
