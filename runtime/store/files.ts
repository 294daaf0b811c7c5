import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { utf8Text } from '#runtime/base/bytes.ts'
import { isLost, replaceFile } from '#runtime/base/files.ts'
import { follow } from './records.ts'
import { commitIn } from './state.ts'

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

/** The files of a LevelDB as they are before it is opened. */
export interface Inspection {
  readonly version: Version
  /** Files by their names, as they are to be when LevelDB opens the directory; it takes what is there for damage. */
  readonly repairs: Map<string, string | Uint8Array>
  /** Bytes of interrupted writes, by the names of their files. */
  readonly interrupted: ReadonlyMap<string, number>
  /** Says what is lost, in one line, when it is told the number of the newest batch that is there. */
  readonly lost: (commit: number) => string | undefined
}

/**
 * Reads the manifests and the logs of a LevelDB before it is opened. LevelDB takes a directory without CURRENT for an
 * empty one, opens none whose manifest ends in an interrupted write, and drops what it cannot follow in a log, or a log
 * that is gone, without a word.
 *
 * @throws Damage
 */
export function inspect(directory: string): Inspection {
  const names = readdirSync(directory)
  const repairs = new Map<string, string | Uint8Array>()
  const interrupted = new Map<string, number>()
  const { manifest, isNamed, wrong } = manifestOf(directory, names)
  const { name, bytes, rest, version, missingLog } = manifest
  if (!isNamed) repairs.set('CURRENT', `${name}\n`)
  if (rest > 0) {
    repairs.set(name, bytes.subarray(0, bytes.length - rest))
    interrupted.set(name, rest)
  }
  let lost = missingLog
  let newest: { readonly file: string; readonly commit: number | undefined } | undefined
  // Older ones may still be there, where the disk did not let LevelDB remove them.
  for (const name of numbered(names, /^\d+\.log$/).filter((each) => numberOf(each) >= version.oldest)) {
    const file = `${directory}/${name}`
    const { records, rest, isDamaged } = follow(readWhole(file), 'last')
    if (isDamaged) lost ??= `${file} is damaged: ${rest} bytes were dropped`
    else if (rest > 0) interrupted.set(name, rest)
    const last = records.at(-1)
    if (last !== undefined) newest = { file, commit: commitIn(last) }
  }
  return {
    version,
    repairs,
    interrupted,
    lost(commit) {
      const isThere = newest === undefined || newest.commit === commit
      return lost ?? (isThere ? wrong : `${newest?.file} is damaged: the newest changes were dropped`)
    }
  }
}

/** Makes the repairs of an inspection. @throws the system's error */
export function repair(directory: string, repairs: Inspection['repairs']): void {
  for (const [name, content] of repairs) replaceFile(`${directory}/${name}`, content)
}

/** Removes the tables and logs that a version of a LevelDB does not need. It has to be closed. @throws the system's error */
export function removeUnused(directory: string, { tables, oldest }: Version): void {
  for (const name of readdirSync(directory)) {
    const number = Number.parseInt(name, 10)
    const isUnused = /\.(ldb|sst)$/.test(name) ? !tables.has(number) : name.endsWith('.log') && number < oldest
    if (isUnused) rmSync(`${directory}/${name}`)
  }
}

/**
 * The numbers of the tables that the manifest of a LevelDB names. Such a table is complete, and never changes; no other
 * one ever has its number. One that it does not name, or not yet, may be written anew under the same number.
 *
 * @throws Damage, the system's error
 */
export function tablesOf(directory: string): ReadonlySet<number> {
  const name = utf8Text(readWhole(`${directory}/CURRENT`)).trimEnd()
  return versionIn(follow(readWhole(`${directory}/${name}`), 'all').records).tables
}

/** Names whose number a pattern finds, by rising number. */
function numbered(names: readonly string[], pattern: RegExp): string[] {
  return names.filter((name) => pattern.test(name)).sort((a, b) => numberOf(a) - numberOf(b))
}

function numberOf(name: string): number {
  return Number(/\d+/.exec(name))
}

/** A manifest, and what is wrong with it. */
interface Manifest {
  readonly name: string
  readonly bytes: Uint8Array
  /** How many bytes at its end are an interrupted write. */
  readonly rest: number
  readonly version: Version
  /** Why LevelDB cannot open it. */
  readonly fault: string | undefined
  /** That the log which it goes on with is not there. */
  readonly missingLog: string | undefined
}

/** @param isShort whether its last record is left out */
function readManifest(directory: string, names: readonly string[], name: string, isShort: boolean): Manifest {
  const file = `${directory}/${name}`
  const bytes = readWhole(file)
  const followed = follow(bytes, 'all')
  const records = isShort ? followed.records.slice(0, -1) : followed.records
  const version = versionIn(records)
  const has = (number: number, endings: RegExp) =>
    names.some((each) => endings.test(each) && Number.parseInt(each, 10) === number)
  const table = [...version.tables].find((number) => !has(number, /\.(ldb|sst)$/))
  const isGone = table === undefined ? undefined : `table ${table} of ${directory} is not there`
  const fault = followed.isDamaged || version.next === 0 ? `${file} is damaged` : isGone
  const hasLog = version.oldest === 0 || has(version.oldest, /\.log$/)
  const missingLog = hasLog ? undefined : `log ${version.oldest} of ${directory} is not there`
  const rest = isShort ? bytes.length - (followed.ends.at(-2) ?? 0) : followed.rest
  return { name, bytes, rest, version, fault, missingLog }
}

/**
 * The manifest in use, whether CURRENT names it, and what is wrong with CURRENT where that is damage. LevelDB syncs a new
 * manifest and the directory, renames CURRENT, and removes what only the old manifest needs. A power cut may leave any of
 * that undone but the first: a newer manifest that has all of its files is in use, even if the one that CURRENT names has
 * its oldest log, since a later one may be removed. The last record of either may be there before the directory was
 * synced, so that it names files that are not: it was interrupted then, and the files of the record before are there.
 *
 * @throws Damage if none is
 */
function manifestOf(directory: string, names: readonly string[]) {
  const file = `${directory}/CURRENT`
  const current = names.includes('CURRENT') ? utf8Text(readWhole(file)) : undefined
  const manifests = numbered(names, /^MANIFEST-\d+$/).reverse()
  const number = Number(/^MANIFEST-(\d+)\n$/.exec(current ?? '')?.[1] ?? Number.NaN)
  const read = (name: string, isShort = false) => readManifest(directory, names, name, isShort)
  const usable = (candidates: readonly string[]) =>
    candidates
      .flatMap((name) => [read(name), read(name, true)])
      .find(({ fault, missingLog }) => fault === undefined && missingLog === undefined)
  const named = manifests.find((name) => current === `${name}\n`)
  const newest = usable(manifests.filter((name) => numberOf(name) >= number))
  if (newest !== undefined) return { manifest: newest, isNamed: newest.name === named }
  const own = named === undefined ? undefined : read(named)
  if (own?.fault !== undefined) throw new Damage(own.fault)
  if (own !== undefined) return { manifest: own, isNamed: true }
  const wrong = `${file} was ${current === undefined ? 'not there' : 'damaged'}`
  const other = usable(manifests)
  if (other === undefined) throw new Damage(wrong)
  return { manifest: other, isNamed: false, wrong }
}

/** The content of a manifest. */
export interface Version {
  /** The number of the oldest log that is needed; 0 without one. */
  oldest: number
  /** No file has this number yet, nor a larger one, except leftovers of an interrupted write; 0 if absent. */
  next: number
  readonly tables: Set<number>
}

function versionIn(records: readonly Uint8Array[]): Version {
  const version = { oldest: 0, next: 0, tables: new Set<number>() }
  for (const record of records) apply(record, version)
  return version
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
const nextFile = 3
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
    if (tag === nextFile) version.next = first
    if (tag === newFile) version.tables.add(number)
    if (tag === deletedFile) version.tables.delete(number)
  }
}
