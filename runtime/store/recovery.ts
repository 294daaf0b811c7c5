import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import type { Configuration } from '#data/configuration'
import { replaceFile } from '#hal/files.ts'
import type { Checkpoint } from './checkpoint.ts'
import { type Inspection, inspect } from './files.ts'
import { type Entry, isFull, type Opened, openLevel, readLevel, text } from './level.ts'
import type { Reserve } from './reserve.ts'
import { Sums } from './sums.ts'
import { damagedTable } from './tables.ts'

/** The layout of the entries; a store with another number is of another Minnow. */
export const format = '2'
/** The layout from before, in which no entry vouches for the others. */
const formatBefore = '1'

/** A data directory that cannot be used; the message is one line for the person who started the service. */
export class StoreError extends Error {}

/** What was lost at a start. */
export interface Loss {
  /** What is wrong with which file, in one line. */
  readonly cause: string
  /** What the service went on with: what was left, the last good copy, or nothing. */
  readonly from: 'store' | 'copy' | 'nothing'
  /** When the newest change was made that is still there, in milliseconds since 1970. */
  readonly at: number | undefined
  /** Where what is damaged was put, unless it goes on being used. */
  readonly aside?: string
}

/** What was found on disk. */
export interface Found {
  /** Not open where the disk refuses, or where the entries are yet to be written. */
  readonly level: Opened['level'] | undefined
  readonly entries: readonly Entry[]
  readonly refusal?: Error
  readonly loss?: Loss
}

interface Place {
  readonly directory: string
  readonly options: Configuration['store']
  readonly reserve: Reserve
  readonly checkpoint: Checkpoint
}

/** Something is wrong with the files of the store. */
class Damage extends Error {}

/**
 * Finds the best state that is there: the store, else its last good copy, else nothing. What is damaged is set aside.
 *
 * @throws StoreError when it is in use, unreadable, or not of this service; nothing is changed then
 */
export async function find(place: Place): Promise<Found> {
  const { directory, checkpoint } = place
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return await whole(place)
  } catch (error) {
    if (!(error instanceof Damage)) throw explained(directory, error)
    const copy = checkpoint.read()
    const aside = setAside(directory)
    const loss = { cause: error.message, from: copy === undefined ? ('nothing' as const) : ('copy' as const) }
    const found = { level: undefined, entries: copy?.entries() ?? [] }
    return { ...found, loss: { ...loss, at: copy?.state.at, ...(aside !== undefined && { aside }) } }
  }
}

/** How the files look, and which of them had to be made again. */
type Files = Inspection & { readonly renewed: string | undefined }

/** @throws Damage; StoreError; the system's error */
async function whole(place: Place): Promise<Found> {
  const { directory, checkpoint } = place
  if (readdirSync(directory).length === 0 && checkpoint.exists) throw new Damage(`${directory} is empty`)
  const renewed = renewCurrent(directory)
  const table = damagedTable(directory)
  if (table !== undefined) throw new Damage(`${table} is damaged`)
  const inspection = { ...inspect(directory), renewed }
  const found = await open(place)
  try {
    return { ...found, ...judge(place, found, inspection) }
  } catch (error) {
    await found.level?.close()
    throw error
  }
}

/** @returns what is lost of a store that is used nevertheless @throws Damage; StoreError */
function judge({ directory, checkpoint }: Place, { entries }: Found, inspection: Files): { loss?: Loss } {
  const { claimed, state, isRight } = new Sums(entries)
  if (claimed !== undefined && !isRight) throw new Damage(`${directory} has other entries than were stored`)
  const known = checkFormat(directory, entries)
  if (claimed === undefined && known === format) throw new Damage(`${directory} has lost entries`)
  const cause = known === formatBefore ? undefined : dropped(inspection, state.commit)
  const copy = known === formatBefore ? undefined : checkpoint.read()
  if (copy !== undefined && copy.state.commit > state.commit) {
    throw new Damage(cause ?? `${directory} is older than its last copy`)
  }
  return cause === undefined ? {} : { loss: { cause, from: 'store', at: state.at } }
}

/**
 * LevelDB takes a directory without CURRENT for an empty one, and would begin anew over what is left in it. What that
 * file says is known where there is one manifest.
 *
 * @returns the file, where it was made again @throws Damage
 */
function renewCurrent(directory: string): string | undefined {
  const files = readdirSync(directory)
  const manifests = files.filter((name) => /^MANIFEST-\d+$/.test(name))
  const file = `${directory}/CURRENT`
  const text = files.includes('CURRENT') ? decode(readFileSync(file)) : undefined
  if (files.length === 0 || manifests.some((name) => text === `${name}\n`)) return undefined
  if (manifests.length !== 1) throw new Damage(`${file} is ${text === undefined ? 'not there' : 'damaged'}`)
  try {
    replaceFile(file, `${manifests[0]}\n`)
  } catch {
    throw new Damage(`${file} is damaged`)
  }
  return file
}

/** @returns the format of a store; undefined for one without entries @throws StoreError for one that is not ours */
function checkFormat(directory: string, entries: readonly Entry[]): string | undefined {
  const known = entries.find(([key]) => key === '=format')?.[1]
  if (known === undefined && entries.length > 0) throw new StoreError(`${directory} is not a store of this service`)
  if (known === undefined || known === format || known === formatBefore) return known
  throw new StoreError(`${directory} has format ${known}, not ${format}`)
}

/** What LevelDB left out without a word, in one line. @param present number of the newest batch that is there */
function dropped({ cut, log, commit, renewed }: Files, present: number): string | undefined {
  if (cut !== undefined) return `${cut.file} cannot be read to its end: ${cut.bytes} bytes were dropped`
  if (commit !== undefined && commit !== present) return `${log} is damaged: the newest changes were dropped`
  return renewed && `${renewed} was damaged`
}

/** Opens with what room there is, on a full disk with that of the reserve; or reads what it may not write. */
async function open({ directory, options, reserve }: Place): Promise<Found> {
  try {
    return await openLevel(directory, options)
  } catch (error) {
    if (code(error) === 'LEVEL_LOCKED') throw error
    if (isFull(error) && reserve.give()) return open({ directory, options, reserve } as Place)
    return readElsewhere(directory, options, error as Error)
  }
}

/** A store that can be read in a copy of it is not damaged: the disk refuses to have it opened. */
async function readElsewhere(directory: string, options: Configuration['store'], refusal: Error): Promise<Found> {
  try {
    return { level: undefined, entries: await readLevel(directory, options), refusal }
  } catch (error) {
    if (code(error)?.startsWith('LEVEL_')) throw new Damage(`${directory} cannot be opened: ${text(refusal)}`)
    throw refusal
  }
}

/** Puts a damaged store beside its place, over the one from before. @returns undefined where there is nothing, or the disk refuses */
function setAside(directory: string): string | undefined {
  const aside = `${directory}.damaged`
  try {
    if (readdirSync(directory).length === 0) return undefined
    rmSync(aside, { recursive: true, force: true })
    renameSync(directory, aside)
    return aside
  } catch {
    return undefined
  }
}

function explained(directory: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error
  if (code(error) === 'LEVEL_LOCKED') return new StoreError(`${directory} is in use by another process`)
  return new StoreError(`cannot use ${directory}: ${text(error)}`)
}

function code(error: unknown): string | undefined {
  return (error as { code?: string }).code
}

/** Bytes as they come, without a complaint: what is read may be damaged. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
