import { concatenated, viewOf } from '#runtime/base/bytes.ts'

/** A block of LevelDB's log format, and the head of each piece of a record in it: CRC-32C, length, type. */
const block = 32_768
const head = 7

/** Types of pieces (LevelDB's doc/log_format.md). */
const full = 1
const first = 2
const middle = 3
const last = 4

/** The records of a log or of a manifest, and what follows them. */
export interface Followed {
  readonly records: readonly Uint8Array[]
  /** Where each of them ends. */
  readonly ends: readonly number[]
  /** The bytes of the file that they take. */
  readonly length: number
  /** How many bytes follow that are no record. */
  readonly rest: number
  /**
   * Whether a record begins in the rest. Nothing is appended to a write that was interrupted, so the file is damaged;
   * without one the rest is what an interrupted write has left.
   */
  readonly isDamaged: boolean
}

/**
 * Follows a file in LevelDB's log format to its end.
 *
 * @param checked the records whose checksums count: those of a log are as many as its changes, and LevelDB checks them
 * again; the last one is what a power cut may have interrupted
 */
export function follow(bytes: Uint8Array, checked: 'all' | 'last'): Followed {
  const whole = [...recordsOf(bytes)]
  const isWhole = ({ pieces }: Framed) => pieces.every(isIntact)
  const sound = checked === 'all' ? whole.findIndex((each) => !isWhole(each)) : whole.findLastIndex(isWhole) + 1
  const found = sound < 0 ? whole : whole.slice(0, sound)
  const length = found.at(-1)?.end ?? 0
  const padding = (block - (length % block)) % block
  const left = bytes.length - length
  const rest = left > (padding < head ? padding : 0) ? left : 0
  const records = found.map(({ pieces }) => concatenated(pieces.map((piece) => piece.subarray(head))))
  return { records, ends: found.map(({ end }) => end), length, rest, isDamaged: rest > 0 && hasRecord(bytes, length) }
}

/** A record by its frame alone: its pieces, with their heads, and its end. */
interface Framed {
  readonly pieces: Uint8Array[]
  readonly end: number
}

function* recordsOf(bytes: Uint8Array): Generator<Framed> {
  let pieces: Uint8Array[] = []
  for (let at = 0; ; ) {
    const room = block - (at % block)
    if (room < head) at += room
    const piece = pieceAt(bytes, at)
    if (piece === undefined) return
    const type = piece[6]!
    if ((type === full || type === first) !== (pieces.length === 0)) return
    pieces.push(piece)
    at += piece.length
    if (type === first || type === middle) continue
    yield { pieces, end: at }
    pieces = []
  }
}

/** Whether bytes have the frame of a piece: a known type, and no more bytes than the block has. */
function pieceAt(bytes: Uint8Array, at: number): Uint8Array | undefined {
  if (at + head > bytes.length) return undefined
  const type = bytes[at + 6]!
  const length = head + bytes[at + 4]! + 256 * bytes[at + 5]!
  if (type < full || type > last || at + length > bytes.length || length > block - (at % block)) return undefined
  return bytes.subarray(at, at + length)
}

/** Whether a record begins behind a place: pieces of one that began before it do not count. */
function hasRecord(bytes: Uint8Array, from: number): boolean {
  for (let at = from + 1; at + head <= bytes.length; at += 1) {
    const type = bytes[at + 6]
    if (type !== full && type !== first) continue
    const piece = pieceAt(bytes, at)
    if (piece !== undefined && isIntact(piece)) return true
  }
  return false
}

/** LevelDB keeps a checksum turned by 15 bits and moved by a constant (its util/crc32c.h). */
function isIntact(piece: Uint8Array): boolean {
  const sum = crc32c(piece.subarray(6))
  const masked = (((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0
  return masked === viewOf(piece).getUint32(0, true)
}

const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit += 1) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0x82f63b78 : 0)
  return remainder
})

/** RFC 3720, B.4. */
function crc32c(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (const byte of bytes) sum = (sum >>> 8) ^ remainders[(sum ^ byte) & 255]!
  return ~sum >>> 0
}
