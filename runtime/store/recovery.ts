import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import type { Configuration } from '#data/configuration'
import type { Recovery } from '#data/manager'
import { replaceFile } from '#hal/files.ts'
import type { Checkpoint } from './checkpoint.ts'
import { Damage, inspect, readWhole } from './files.ts'
import { isFull, type Opened, openLevel, readLevel, text } from './level.ts'
import { claimedState, type Entry, sumOf } from './state.ts'
import { damagedTable } from './tables.ts'

/**
 * The layout of the entries; a store with another number is of another Minnow. One with a larger number is of a newer one,
 * which fell back to this: it is set aside, and the copy that this one left is used. A Minnow with another layout
 * therefore gives its copy another name.
 */
export const format = '2'
/** The layout before, without a state. */
const formatBefore = '1'

/** A data directory that cannot be used; the message is one line for the person who started the service. */
export class StoreError extends Error {}

/** The loss of a part of the stored state, found at a start. */
export interface Loss {
  /** The file and what is wrong with it, in one line. */
  readonly cause: string
  readonly source: Recovery['source']
  /** When the newest change was made that is still there, in milliseconds since 1970; undefined where nobody knows. */
  readonly at?: number | undefined
}

/** The state on disk. */
export interface Found {
  /** Undefined where the disk refuses, and where the directory is damaged. */
  readonly level?: Opened['level']
  readonly entries: readonly Entry[]
  /** Why it could only be read. */
  readonly refusal?: Error
  /** Whether the directory is to be set aside before it is used. */
  readonly isDamaged?: boolean
  readonly loss?: Loss
}

/**
 * Finds the best state that is there: the store, else its last good copy, else nothing.
 *
 * @throws StoreError when it is in use, unreadable, or not of this service; nothing is changed then
 */
export async function find(directory: string, checkpoint: Checkpoint, options: Configuration['store']): Promise<Found> {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const found = await findWhole(directory, checkpoint, options)
    const cause = erasure(directory)
    return cause === undefined ? found : { ...found, loss: { cause, source: 'New' } }
  } catch (error) {
    if (!(error instanceof Damage)) throw explained(directory, error)
    const copy = checkpoint.read()
    const loss = { cause: error.message, source: copy === undefined ? 'New' : 'Copy', at: copy?.state.at } as const
    return { entries: copy?.entries() ?? [], isDamaged: true, loss }
  }
}

/** Puts what is damaged beside its place, over what was put there before. @throws the system's error */
export function setAside(directory: string): void {
  if (isEmpty(directory)) return
  rmSync(`${directory}.damaged`, { recursive: true, force: true })
  renameSync(directory, `${directory}.damaged`)
}

/** The line that the init process of a controller leaves when it erased the file system that the store was on. */
function erasure(directory: string): string | undefined {
  const file = `${directory}.erased`
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

/** @throws Damage; StoreError; the system's error */
async function findWhole(directory: string, checkpoint: Checkpoint, options: Configuration['store']): Promise<Found> {
  if (isEmpty(directory)) {
    if (checkpoint.exists) throw new Damage(`${directory} is empty`)
    return open(directory, options)
  }
  const { manifest, renewed } = findManifest(directory)
  const table = damagedTable(directory)
  if (table !== undefined) throw new Damage(`${table} is damaged`)
  const dropped = inspect(directory, manifest)
  const found = await open(directory, options)
  try {
    const { entries } = found
    const state = claimedState(entries)
    const [, known] = entries.find(([key]) => key === '=format') ?? []
    if (Number(known) > Number(format)) throw new Damage(`${directory} is of a newer version`)
    if (state === undefined ? known === format : state.sum !== sumOf(entries)) {
      throw new Damage(`${directory} has other entries than were stored`)
    }
    if (entries.length > 0) checkFormat(directory, known)
    const commit = state?.commit ?? 0
    const cause = known === formatBefore ? undefined : (dropped(commit) ?? renewed)
    if ((checkpoint.read()?.state.commit ?? 0) > commit) {
      throw new Damage(cause ?? `${directory} is older than its last copy`)
    }
    return cause === undefined ? found : { ...found, loss: { cause, source: 'Rest', at: state?.at } }
  } catch (error) {
    await found.level?.close()
    throw error
  }
}

/** LevelDB has a lock and a log of its own in a directory before anything else. */
function isEmpty(directory: string): boolean {
  return readdirSync(directory).every((name) => /^(LOCK|LOG|LOG\.old)$/.test(name))
}

/**
 * The name of the manifest in use. CURRENT is made anew where it is not there or names none, as long as there is only one
 * that it can name: LevelDB takes a directory without CURRENT for an empty one, and would begin anew over what is in it.
 *
 * @returns also what was wrong with CURRENT @throws Damage where nobody knows what it named
 */
function findManifest(directory: string): { manifest: string; renewed?: string } {
  const file = `${directory}/CURRENT`
  const current = existsSync(file) ? new TextDecoder().decode(readWhole(file)) : undefined
  const manifests = readdirSync(directory).filter((name) => /^MANIFEST-\d+$/.test(name))
  const named = manifests.find((name) => current === `${name}\n`)
  if (named !== undefined) return { manifest: named }
  const [manifest, ...others] = manifests
  const renewed = `${file} was ${current === undefined ? 'not there' : 'damaged'}`
  if (manifest === undefined || others.length > 0) throw new Damage(renewed)
  try {
    replaceFile(file, `${manifest}\n`)
  } catch {
    throw new Damage(renewed)
  }
  return { manifest, renewed }
}

/** @throws StoreError for a store that is not ours */
function checkFormat(directory: string, known: string | undefined): void {
  if (known === undefined) throw new StoreError(`${directory} is not a store of this service`)
  if (known !== format && known !== formatBefore)
    throw new StoreError(`${directory} has format ${known}, not ${format}`)
}

/** Opens a store, or reads what may not be written. @throws Damage; the system's error */
async function open(directory: string, options: Configuration['store']): Promise<Found> {
  try {
    return await openLevel(directory, options)
  } catch (refusal) {
    if (code(refusal) === 'LEVEL_LOCKED') throw refusal
    try {
      return { entries: await readLevel(directory, options), refusal: refusal as Error }
    } catch (error) {
      if (error instanceof Damage) throw error
      // A store that can be opened nowhere is damaged, unless the copy of it had no room.
      if (code(error).startsWith('LEVEL_') && !isFull(error))
        throw new Damage(`${directory} is damaged: ${text(error)}`)
      throw refusal
    }
  }
}

function explained(directory: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error
  if (code(error) === 'LEVEL_LOCKED') return new StoreError(`${directory} is in use by another process`)
  return new StoreError(`cannot use ${directory}: ${text(error)}`)
}

function code(error: unknown): string {
  return (error as { code?: string }).code ?? ''
}
