import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import type { Configuration } from '#data/configuration'
import type { Recovery } from '#data/manager'
import { makeDirectory, replaceFile } from '#runtime/base/files.ts'
import { log } from '#runtime/base/log.ts'
import type { Checkpoint, Copy } from './checkpoint.ts'
import { Damage, type Inspection, inspect, repair } from './files.ts'
import { isFull, OpenLevel, readLevel, text } from './level.ts'
import type { Receipt } from './receipt.ts'
import { claimedState, type Entry, sumOf } from './state.ts'
import { damagedTable, listOf } from './tables.ts'

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
  /** Time of the newest change that survived, in milliseconds since 1970; undefined if unknown. */
  readonly at?: number | undefined
}

/** The files beside a store that help when it is damaged. */
export interface Vouchers {
  readonly checkpoint: Checkpoint
  readonly receipt: Receipt
}

/** The state on disk. */
export interface StoredState {
  /** Undefined if the disk refuses, and where the directory is damaged. */
  readonly level?: OpenLevel
  readonly entries: readonly Entry[]
  /** Why it could only be read. */
  readonly refusal?: Error
  /** Whether the directory is to be set aside before it is used; there is a loss then. */
  readonly isDamaged?: boolean
  /** Whether there is a last good copy. */
  readonly isCopied?: boolean
  readonly loss?: Loss | undefined
}

/**
 * Finds the best state that is there: the store, else its last good copy, else nothing.
 *
 * @throws StoreError when it is in use, unreadable, or not of this service; nothing is changed then
 */
export async function find(
  directory: string,
  { checkpoint, receipt }: Vouchers,
  options: Configuration['store']
): Promise<StoredState> {
  try {
    makeDirectory(directory)
    const untold = untoldLoss(directory)
    const copy = checkpoint.read()
    const found = await findAny(directory, { checkpoint, receipt }, copy, options)
    return { ...found, isCopied: copy?.isBlank === false, loss: untold ?? found.loss }
  } catch (error) {
    throw explained(directory, error)
  }
}

/**
 * Puts what is damaged beside its place, over what was put there before. The loss is written down first, for when the
 * power fails before it is reported.
 *
 * @throws the system's error
 */
export function setAside(directory: string, loss: Loss): void {
  replaceFile(`${directory}.loss`, `${JSON.stringify(loss)}\n`)
  if (isEmpty(directory)) return
  rmSync(`${directory}.damaged`, { recursive: true, force: true })
  renameSync(directory, `${directory}.damaged`)
}

/**
 * The loss at an earlier start that is not reported yet: it is in a file until then. The init process of a controller leaves
 * that file too, if it erased the file system of the store.
 */
function untoldLoss(directory: string): Loss | undefined {
  const file = `${directory}.loss`
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { cause: `${file} is damaged`, source: 'New' }
  }
}

/** @throws StoreError; the system's error */
async function findAny(
  directory: string,
  vouchers: Vouchers,
  copy: Copy | undefined,
  options: Configuration['store']
): Promise<StoredState> {
  try {
    return await findWhole(directory, vouchers, copy, options)
  } catch (error) {
    if (!(error instanceof Damage)) throw error
    if (copy?.isBlank) {
      // The power failed at the first start, before anything was acknowledged.
      rmSync(directory, { recursive: true })
      return open(directory, options)
    }
    const loss = { cause: error.message, source: copy === undefined ? 'New' : 'Copy', at: copy?.state.at } as const
    return { entries: copy?.entries() ?? [], isDamaged: true, loss }
  }
}

/** @throws Damage; StoreError; the system's error */
async function findWhole(
  directory: string,
  { checkpoint, receipt }: Vouchers,
  copy: Copy | undefined,
  options: Configuration['store']
): Promise<StoredState> {
  if (isEmpty(directory)) {
    if (checkpoint.exists && !copy?.isBlank) throw new Damage(`${directory} is empty`)
    checkpoint.begin()
    return open(directory, options)
  }
  const inspection = inspect(directory)
  const { version, repairs, interrupted } = inspection
  const table = damagedTable(directory, version)
  if (table !== undefined) throw new Damage(`${table} is damaged`)
  const list = listOf(directory, version)
  if (list !== undefined) repairs.set(...list)
  for (const [name, bytes] of interrupted) {
    log.info('an interrupted write is left out', { file: `${directory}/${name}`, bytes })
  }
  const found = await open(directory, options, repairs)
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
    const cause = known === formatBefore ? undefined : inspection.lost(commit)
    const missing = receipt.read() - commit
    const lost = cause ?? (missing > 0 ? `${directory} lacks its ${missing} newest changes` : undefined)
    if ((copy?.state.commit ?? 0) > commit) {
      throw new Damage(lost ?? `${directory} is older than its last copy`)
    }
    return lost === undefined || copy?.isBlank
      ? found
      : { ...found, loss: { cause: lost, source: 'Rest', at: state?.at } }
  } catch (error) {
    await found.level?.close()
    throw error
  }
}

/** LevelDB has a lock and a log of its own in a directory before anything else. */
export function isEmpty(directory: string): boolean {
  return readdirSync(directory).every((name) => /^(LOCK|LOG|LOG\.old)$/.test(name))
}

/** @throws StoreError for a store that is not ours */
function checkFormat(directory: string, known: string | undefined): void {
  if (known === undefined) throw new StoreError(`${directory} is not a store of this service`)
  if (known !== format && known !== formatBefore)
    throw new StoreError(`${directory} has format ${known}, not ${format}`)
}

/** Opens a store, or reads what may not be written. @throws Damage; the system's error */
async function open(
  directory: string,
  options: Configuration['store'],
  repairs: Inspection['repairs'] = new Map()
): Promise<StoredState> {
  try {
    repair(directory, repairs)
    const level = await OpenLevel.open(directory, options)
    return { level, entries: await level.entries() }
  } catch (refusal) {
    if (code(refusal) === 'LEVEL_LOCKED') throw refusal
    try {
      return { entries: await readLevel(directory, options, repairs), refusal: refusal as Error }
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
