import { createHash } from 'node:crypto'
import { utf8Text } from '#runtime/base/bytes.ts'

export type Entry = [key: string, value: string]

/**
 * The state of a store after a batch, which each batch stores along with its changes: it tells when an entry has
 * changed, is missing, or is an older one. LevelDB does not check its own checksums when it reads.
 */
export interface State {
  /** How many batches made it. */
  readonly commit: number
  /** Of the checksums of all other entries, modulo 2^48. */
  readonly sum: number
  /** When the last batch was made, in milliseconds since 1970. */
  readonly at: number
}

/** The key of the entry that holds the state. */
export const stateKey = '=sum'

/** Sums are whole numbers below this, which a double holds exactly. */
const modulus = 2 ** 48

export function stateEntry(state: State): Entry {
  return [stateKey, JSON.stringify(state)]
}

/** The state that the entries say they are in; undefined if they do not say it. */
export function claimedState(entries: readonly Entry[]): State | undefined {
  const [, value = ''] = entries.find(([key]) => key === stateKey) ?? []
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** The sum of entries, that of their state left out. */
export function sumOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, [key, value]) => (key === stateKey ? sum : exchanged(sum, key, undefined, value)), 0)
}

/** A sum after the value of an entry was exchanged. An absent entry has the value undefined. */
export function exchanged(sum: number, key: string, before: string | undefined, after: string | undefined): number {
  return (sum - checksum(key, before) + checksum(key, after) + modulus) % modulus
}

/** The number of the batch in these bytes of LevelDB's log; undefined if it has no state. */
export function commitIn(batch: Uint8Array): number | undefined {
  const found = /=sum.{1,2}\{"commit":(\d+),/s.exec(utf8Text(batch))
  return found === null ? undefined : Number(found[1])
}

/** The first 48 bits of a SHA-256. */
function checksum(key: string, value: string | undefined): number {
  if (value === undefined) return 0
  const digest = createHash('sha256').update(`${key}\0${value}`).digest()
  return digest.subarray(0, 6).reduce((number, byte) => number * 256 + byte, 0)
}
