import { createHash } from 'node:crypto'
import type { Entry } from './level.ts'

/** The entry that vouches for all others. LevelDB does not look at its own checksums when it reads. */
const key = '=sum'

/** Sums are whole numbers below this, which a double holds exactly. */
const modulus = 2 ** 48

/** What the entry says of a state of the store. */
export interface State {
  /** How many batches made it. */
  readonly commit: number
  /** Of the checksums of all its entries. */
  readonly sum: number
  /** When the last of them was made, in milliseconds since 1970. */
  readonly at: number
}

/**
 * The sum of the checksums of all entries, which each batch carries along: it tells when an entry has changed, is
 * missing, or is one from before.
 */
export class Sums {
  readonly #of = new Map<string, number>()
  #state: State = { commit: 0, sum: 0, at: 0 }
  /** What the entries themselves say; undefined where none vouches for them. */
  readonly claimed: State | undefined

  /** @param commit of the last batch before, where that is known */
  constructor(entries: Iterable<Entry>, commit = 0) {
    let claimed: State | undefined
    let sum = 0
    for (const [name, value] of entries) {
      if (name === key) claimed = parse(value)
      else {
        const own = checksum(name, value)
        this.#of.set(name, own)
        sum = (sum + own) % modulus
      }
    }
    this.claimed = claimed
    this.#state = { commit: Math.max(commit, claimed?.commit ?? 0), sum, at: claimed?.at ?? 0 }
  }

  get state(): State {
    return this.#state
  }

  /** Whether the entries are those that the batches made. */
  get isRight(): boolean {
    return this.claimed?.sum === this.#state.sum
  }

  /** The entry that goes with a batch, and what is to be called once that is on disk. */
  next(changes: ReadonlyMap<string, string | null>): { entry: Entry; done: () => void } {
    const added = [...changes].map(
      ([name, value]) => [name, value === null ? undefined : checksum(name, value)] as const
    )
    let { commit, sum } = this.#state
    for (const [name, own = 0] of added) sum = (sum - (this.#of.get(name) ?? 0) + own + modulus) % modulus
    commit += 1
    const state = { commit, sum, at: Date.now() }
    const done = () => {
      this.#state = state
      for (const [name, own] of added)
        if (own === undefined) this.#of.delete(name)
        else this.#of.set(name, own)
    }
    return { entry: sumEntry(state), done }
  }
}

/** The entry that says a state. */
export function sumEntry(state: State): Entry {
  return [key, JSON.stringify(state)]
}

/** The number of the batch in the bytes of one, as LevelDB's log has them; undefined where there is none. */
export function commitIn(batch: Uint8Array): number | undefined {
  const found = /=sum.{1,2}\{"commit":(\d+),/s.exec(new TextDecoder().decode(batch))
  return found === null ? undefined : Number(found[1])
}

function checksum(name: string, value: string): number {
  const digest = createHash('sha256').update(`${name}\0${value}`).digest()
  return digest.subarray(0, 6).reduce((number, byte) => number * 256 + byte, 0)
}

function parse(value: string): State | undefined {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
