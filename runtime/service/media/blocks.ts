import { longestRead } from '#runtime/base/nbd/format.ts'

/** Where blocks come from. */
export interface BlockSource {
  /** @throws Error when it cannot be read, or the source is gone */
  read(offset: number, length: number): Promise<Uint8Array>
}

export interface BlockLimits {
  /** Bytes of blocks that are kept. */
  readonly cache: number
  /** Seconds that a read waits. */
  readonly wait: number
}

/** Bytes of a block: a drive asks for a sector where its host wants a file, and each question is a way to the source and back. */
export const blockSize = longestRead

/** Blocks that the source is asked for at the same time. */
export const mostAsked = 4

/** Blocks after one that was read, where the drive reads one after the other. */
const ahead = 3

/** A block that is wanted but has not arrived yet. */
class Wanted {
  readonly index: number
  readonly bytes: Promise<Uint8Array>
  asked: BlockSource | undefined
  /** Reads that wait for it. */
  waiting = 0
  resolve: (bytes: Uint8Array) => void = () => undefined
  reject: (error: Error) => void = () => undefined

  constructor(index: number) {
    this.index = index
    this.bytes = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
    // A block that is fetched ahead may have no reader: its rejection counts as handled.
    this.bytes.catch(() => undefined)
  }
}

/**
 * A file in blocks, whose source may go away and come back: a read waits for it. The last blocks are kept, and the next
 * ones fetched ahead.
 */
export class Blocks {
  readonly size: number
  readonly #limits: BlockLimits
  /** The oldest first. */
  readonly #kept = new Map<number, Uint8Array>()
  readonly #wanted = new Map<number, Wanted>()
  #source: BlockSource | undefined
  #next = 0
  #isRefusing = false

  constructor(size: number, limits: BlockLimits) {
    this.size = size
    this.#limits = limits
  }

  /** Begins to ask a source, in place of the one before; undefined: no source for now. */
  connect(source: BlockSource | undefined): void {
    this.#source = source
    for (const [index, wanted] of this.#wanted) {
      wanted.asked = undefined
      if (wanted.waiting === 0) this.#wanted.delete(index)
    }
    this.#ask()
  }

  /** Whether all that waits fails, and all reads from now on. */
  refuse(isRefusing: boolean): void {
    this.#isRefusing = isRefusing
    if (!isRefusing) return
    for (const { reject } of this.#wanted.values()) reject(refused())
    this.#wanted.clear()
  }

  /** @throws Error when the source cannot read it, or does not in time */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const first = Math.floor(offset / blockSize)
    const last = Math.floor((offset + length - 1) / blockSize)
    const bytes = new Uint8Array(length)
    const parts = []
    for (let index = first; index <= last; index += 1) {
      parts.push(
        this.#block(index).then((block) => {
          const start = index * blockSize - offset
          bytes.set(block.subarray(Math.max(0, -start), length - start), Math.max(0, start))
        })
      )
    }
    if (first === this.#next || first + 1 === this.#next) this.#fetchAhead(last)
    this.#next = last + 1
    await Promise.all(parts)
    return bytes
  }

  #fetchAhead(last: number): void {
    for (let index = last + 1; index <= last + ahead && index * blockSize < this.size; index += 1) {
      if (!this.#kept.has(index)) this.#want(index)
    }
    this.#ask()
  }

  async #block(index: number): Promise<Uint8Array> {
    if (this.#isRefusing) throw refused()
    const kept = this.#kept.get(index)
    if (kept !== undefined) {
      this.#keep(index, kept)
      return kept
    }
    const wanted = this.#want(index)
    wanted.waiting += 1
    this.#ask()
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer in ${this.#limits.wait} s`)), this.#limits.wait * 1000)
    })
    try {
      return await Promise.race([wanted.bytes, late])
    } finally {
      clearTimeout(timer)
      wanted.waiting -= 1
      if (wanted.waiting === 0 && wanted.asked === undefined) this.#forget(wanted)
    }
  }

  #want(index: number): Wanted {
    const known = this.#wanted.get(index)
    if (known !== undefined) return known
    const wanted = new Wanted(index)
    this.#wanted.set(index, wanted)
    return wanted
  }

  /** Asks for what is wanted, as much as may be asked for at once. */
  #ask(): void {
    const source = this.#source
    if (source === undefined) return
    let asked = [...this.#wanted.values()].filter((each) => each.asked !== undefined).length
    for (const wanted of this.#wanted.values()) {
      if (asked >= mostAsked) return
      if (wanted.asked !== undefined) continue
      wanted.asked = source
      asked += 1
      this.#fetch(source, wanted)
    }
  }

  #fetch(source: BlockSource, wanted: Wanted): void {
    const offset = wanted.index * blockSize
    source.read(offset, Math.min(blockSize, this.size - offset)).then(
      (bytes) => {
        this.#forget(wanted)
        this.#keep(wanted.index, bytes)
        wanted.resolve(bytes)
        this.#ask()
      },
      (error: Error) => {
        // Of a source that has gone: the next one is asked.
        if (wanted.asked !== source) return
        this.#forget(wanted)
        wanted.reject(error)
        this.#ask()
      }
    )
  }

  #forget(wanted: Wanted): void {
    if (this.#wanted.get(wanted.index) === wanted) this.#wanted.delete(wanted.index)
  }

  #keep(index: number, bytes: Uint8Array): void {
    this.#kept.delete(index)
    this.#kept.set(index, bytes)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size * blockSize > this.#limits.cache && oldest !== undefined) this.#kept.delete(oldest)
  }
}

function refused(): Error {
  return new Error('the drive is being emptied')
}
