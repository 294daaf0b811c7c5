import { readdirSync, readFileSync } from 'node:fs'
import { commitIn } from './sums.ts'

/** A block of LevelDB's log format, and the head of each record in it: checksum, length, type. */
const block = 32_768
const head = 7

/** Types of records (LevelDB's doc/log_format.md). */
const full = 1
const first = 2
const middle = 3
const last = 4

/** How the files of a LevelDB look before it is opened; it is silent about a tail that it drops. */
export interface Inspection {
  /** A file that cannot be followed to its end, and the bytes behind that place. */
  readonly cut: { readonly file: string; readonly bytes: number } | undefined
  /** The number of the newest batch in the log. */
  readonly commit: number | undefined
  /** The file that it is in. */
  readonly log: string | undefined
}

/** Follows the log and the manifest of a LevelDB to their ends. */
export function inspect(directory: string): Inspection {
  let cut: Inspection['cut']
  let commit: number | undefined
  let log: string | undefined
  for (const name of readdirSync(directory).sort()) {
    if (!/^(\d+\.log|MANIFEST-\d+)$/.test(name)) continue
    const file = `${directory}/${name}`
    const { newest, left } = follow(readFileSync(file))
    if (left > 0) cut = { file, bytes: left }
    if (newest === undefined || !name.endsWith('.log')) continue
    // A batch that is damaged has another number than the one that is in the store, or none.
    commit = commitIn(newest) ?? Number.POSITIVE_INFINITY
    log = file
  }
  return { cut, commit, log }
}

/** @returns the last whole record, and how many bytes there are behind the last one that can be followed */
function follow(bytes: Uint8Array): { newest: Uint8Array | undefined; left: number } {
  let newest: Uint8Array | undefined
  let parts: Uint8Array[] = []
  let whole = 0
  for (let at = 0; at + head <= bytes.length; ) {
    const room = block - (at % block)
    if (room < head) {
      at += room
      continue
    }
    const length = bytes[at + 4]! + 256 * bytes[at + 5]!
    const type = bytes[at + 6]!
    const end = at + head + length
    const starts = type === full || type === first
    if (type < full || type > last || end > bytes.length || head + length > room) break
    if (starts !== (parts.length === 0)) break
    parts.push(bytes.subarray(at + head, end))
    at = end
    if (type === first || type === middle) continue
    newest = join(parts)
    parts = []
    whole = at
  }
  const padding = (block - (whole % block)) % block
  return { newest, left: bytes.length - whole <= (padding < head ? padding : 0) ? 0 : bytes.length - whole }
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
