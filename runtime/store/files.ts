import { readdirSync, readFileSync } from 'node:fs'
import { isLost } from '#hal/files.ts'
import { commitIn } from './state.ts'

/** A block of LevelDB's log format, and the head of each record in it: checksum, length, type. */
const block = 32_768
const head = 7

/** Types of records (LevelDB's doc/log_format.md). */
const full = 1
const first = 2
const middle = 3
const last = 4

/** Something is wrong with the files of the store; the message is one line that names the file. */
export class Damage extends Error {}

/** @throws Damage when the medium does not have the file any more; the system's error for anything else */
export function readWhole(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    if (!isLost(error)) throw error
    throw new Damage(`${file} cannot be read`)
  }
}

/**
 * Follows the log and the manifest of a LevelDB to their ends, before it is opened: it drops the tail of a file that it
 * cannot follow without a word, and does not miss a log that is gone.
 *
 * @param manifest the name of the one that is in use
 * @returns says what was dropped, in one line, when it is told the number of the newest batch that is there
 * @throws Damage when a file cannot be read
 */
export function inspect(directory: string, manifest: string): (commit: number) => string | undefined {
  const { oldest, cut } = readManifest(`${directory}/${manifest}`)
  // Older ones may still be there, where the disk did not let LevelDB remove them.
  const logs = readdirSync(directory).filter((name) => name.endsWith('.log') && Number.parseInt(name, 10) >= oldest)
  const isGone = oldest > 0 && !logs.some((name) => Number.parseInt(name, 10) === oldest)
  let dropped = cut ?? (isGone ? `log ${oldest} of ${directory} is not there` : undefined)
  let newest: { readonly file: string; readonly commit: number | undefined } | undefined
  for (const name of logs.sort()) {
    const file = `${directory}/${name}`
    const { records, cut } = follow(file)
    dropped ??= cut
    const last = records.at(-1)
    if (last !== undefined) newest = { file, commit: commitIn(last) }
  }
  return (commit) => {
    const isThere = newest === undefined || newest.commit === commit
    return dropped ?? (isThere ? undefined : `${newest?.file} is damaged: the newest changes were dropped`)
  }
}

/**
 * The numbers of the tables that the manifest of a LevelDB names. Such a table is complete, and never changes; no other
 * one ever has its number. One that it does not name, or not yet, may be written anew under the same number.
 *
 * @throws Damage, the system's error
 */
export function tablesOf(directory: string): ReadonlySet<number> {
  const name = new TextDecoder().decode(readWhole(`${directory}/CURRENT`)).trimEnd()
  return readManifest(`${directory}/${name}`).tables
}

/** What a manifest says. */
interface Version {
  /** The number of the oldest log that is needed. */
  oldest: number
  readonly tables: Set<number>
}

function readManifest(file: string): Version & { readonly cut: string | undefined } {
  const { records, cut } = follow(file)
  const version = { oldest: 0, tables: new Set<number>() }
  for (const record of records) apply(record, version)
  return { ...version, cut }
}

/** @returns the whole records of a file, and what is wrong with it when something is behind them */
function follow(file: string): { records: Uint8Array[]; cut: string | undefined } {
  const bytes = readWhole(file)
  const records: Uint8Array[] = []
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
    records.push(join(parts))
    parts = []
    whole = at
  }
  const padding = (block - (whole % block)) % block
  const left = bytes.length - whole
  const isCut = left > (padding < head ? padding : 0)
  return { records, cut: isCut ? `${file} cannot be read to its end: ${left} bytes were dropped` : undefined }
}

/** The fields of an edit of the manifest by their tags: v, a varint; b, bytes with their length before them. */
const fields: Readonly<Record<number, string>> = {
  1: 'b',
  2: 'v',
  3: 'v',
  4: 'v',
  5: 'vb',
  6: 'vv',
  7: 'vvvbb',
  9: 'v'
}
const logNumber = 2
const deletedFile = 6
const newFile = 7

/** Applies an edit of the manifest (LevelDB's db/version_edit.cc). */
function apply(edit: Uint8Array, version: Version): void {
  let at = 0
  const varint = () => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = edit[at] ?? 0
      at += 1
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  while (at < edit.length) {
    const tag = varint()
    const values = [...(fields[tag] ?? '')].map((kind) => {
      const value = varint()
      if (kind === 'b') at += value
      return value
    })
    const [first = 0, number = 0] = values
    if (tag === logNumber) version.oldest = first
    if (tag === newFile) version.tables.add(number)
    if (tag === deletedFile) version.tables.delete(number)
  }
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
