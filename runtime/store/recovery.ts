import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import type { Configuration } from '#data/configuration'
import type { Recovery } from '#data/manager'
import { replaceFile } from '#hal/files.ts'
import type { Checkpoint } from './checkpoint.ts'
import { Damage, inspect, readWhole } from './files.ts'
import { isFull, type Opened, openLevel, readLevel, text } from './level.ts'
import { claimedState, type Entry, sumOf } from './state.ts'
import { damagedTable } from './tables.ts'

/** The layout of the entries; a store with another number is of another Minnow. */
export const format = '2'
/** The layout before, without a state. */
const formatBefore = '1'

/** A data directory that cannot be used; the message is one line for the person who started the service. */
export class StoreError extends Error {}

/** What was lost at a start. */
export interface Loss {
  /** What is wrong with which file, in one line. */
  readonly cause: string
  readonly source: Recovery['source']
  /** When the newest change was made that is still there, in milliseconds since 1970; undefined where nobody knows. */
  readonly at?: number | undefined
}

/** What was found on disk. */
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
    return await findWhole(directory, checkpoint, options)
  } catch (error) {
    if (!(error instanceof Damage)) throw explained(directory, error)
    const copy = checkpoint.read()
    const loss = { cause: error.message, source: copy === undefined ? 'New' : 'Copy', at: copy?.state.at } as const
    return { entries: copy?.entries() ?? [], isDamaged: true, loss }
  }
}

/** Puts what is damaged beside its place, over what was put there before. @throws the system's error */
export function setAside(directory: string): void {
  if (readdirSync(directory).length === 0) return
  rmSync(`${directory}.damaged`, { recursive: true, force: true })
  renameSync(directory, `${directory}.damaged`)
}

/** @throws Damage; StoreError; the system's error */
async function findWhole(directory: string, checkpoint: Checkpoint, options: Configuration['store']): Promise<Found> {
  if (readdirSync(directory).length === 0 && checkpoint.exists) throw new Damage(`${directory} is empty`)
  const renewed = renewCurrent(directory)
  const table = damagedTable(directory)
  if (table !== undefined) throw new Damage(`${table} is damaged`)
  const dropped = inspect(directory)
  const found = await open(directory, options)
  try {
    const { entries } = found
    const state = claimedState(entries)
    const [, known] = entries.find(([key]) => key === '=format') ?? []
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

/**
 * Makes CURRENT anew where it is not there or names no manifest, as long as there is only one manifest that it can name.
 * LevelDB takes a directory without CURRENT for an empty one, and would begin anew over what is left in it.
 *
 * @returns what was wrong with it @throws Damage where nobody knows what it named
 */
function renewCurrent(directory: string): string | undefined {
  const files = readdirSync(directory)
  const manifests = files.filter((name) => /^MANIFEST-\d+$/.test(name))
  const file = `${directory}/CURRENT`
  const named = files.includes('CURRENT') ? new TextDecoder().decode(readWhole(file)) : undefined
  if (files.length === 0 || manifests.some((name) => named === `${name}\n`)) return undefined
  const cause = `${file} was ${named === undefined ? 'not there' : 'damaged'}`
  if (manifests.length !== 1) throw new Damage(cause)
  try {
    replaceFile(file, `${manifests[0]}\n`)
  } catch {
    throw new Damage(cause)
  }
  return cause
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
      // What can be opened nowhere is damaged, unless the copy of it had no room.
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
