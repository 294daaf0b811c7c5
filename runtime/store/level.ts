import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Level } from 'level'
import type { Configuration } from '#data/configuration'
import { hex } from '#runtime/contract'
import { type Inspection, readWhole } from './files.ts'
import type { Entry } from './state.ts'

/** An open LevelDB, and what it held when it was opened. */
export interface Opened {
  readonly level: Level<string, string>
  readonly entries: Entry[]
}

/** @throws Error in one line, with the system's words and `code` where LevelDB gives one; nothing stays open then */
export async function openLevel(directory: string, options: Configuration['store']): Promise<Opened> {
  const level = await openUnread(directory, options)
  try {
    return { level, entries: await level.iterator().all() }
  } catch (error) {
    await level.close().catch(() => undefined)
    throw causeOf(error)
  }
}

/** As `openLevel`, without reading what is in it. */
export async function openUnread(directory: string, options: Configuration['store']): Promise<Opened['level']> {
  const level = new Level<string, string>(directory, {
    cacheSize: options.cache,
    writeBufferSize: options.writeBuffer
  })
  try {
    await level.open()
    return level
  } catch (error) {
    await level.close().catch(() => undefined)
    throw causeOf(error)
  }
}

/**
 * The entries of a LevelDB whose directory cannot be written. To open one is to write, so a copy in the directory for
 * temporary files is opened.
 *
 * @param repairs see `Inspection`
 * @throws Damage when a file cannot be read; Error when the copy cannot be made or opened
 */
export async function readLevel(
  directory: string,
  options: Configuration['store'],
  repairs: Inspection['repairs']
): Promise<Entry[]> {
  const copy = `${tmpdir()}/minnow-${hex(randomBytes(8))}`
  mkdirSync(copy, { mode: 0o700 })
  try {
    for (const name of readdirSync(directory)) writeFileSync(`${copy}/${name}`, readWhole(`${directory}/${name}`))
    for (const [name, content] of repairs) writeFileSync(`${copy}/${name}`, content)
    const { level, entries } = await openLevel(copy, options)
    await level.close()
    return entries
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** The failure itself: abstract-level's own error only says that there was one. */
export function causeOf(error: unknown): Error & { code?: string } {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return inner instanceof Error ? inner : new Error(String(inner))
}

/** Whether the disk has no room: by the system's `code`, or by its words, which are all that LevelDB keeps. */
export function isFull(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return code === 'ENOSPC' || code === 'EDQUOT' || /No space left on device|Disk quota exceeded/.test(message)
}

/** The first line of a failure's message. */
export function text(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
}
