import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import type { ClassicLevel } from 'classic-level'
import { Level } from 'level'
import type { Configuration } from '#data/configuration'
import { hex } from '#runtime/base/bytes.ts'
import { fileCalls, makeDirectory } from '#runtime/base/files.ts'
import { type Inspection, readWhole } from './files.ts'
import type { Entry } from './state.ts'

/** A key and its new value; undefined removes the entry. */
export interface Put {
  readonly key: string
  readonly value: string | undefined
}

/** An open LevelDB whose writes are durable. */
export class OpenLevel {
  /** To read from. */
  readonly level: Level<string, string>
  readonly #directory: string
  /** The names of its files when they were synced last. */
  #names = ''

  private constructor(level: Level<string, string>, directory: string) {
    this.level = level
    this.#directory = directory
  }

  /** @throws Error in one line, with the system's words and `code` where LevelDB gives one; nothing stays open then */
  static async open(directory: string, options: Configuration['store']): Promise<OpenLevel> {
    makeDirectory(directory)
    const level = new Level<string, string>(directory, {
      cacheSize: options.cache,
      writeBufferSize: options.writeBuffer
    })
    try {
      await level.open()
      const opened = new OpenLevel(level, directory)
      fileCalls.sync(dirname(directory))
      opened.#syncNames()
      return opened
    } catch (error) {
      await level.close().catch(() => undefined)
      throw causeOf(error)
    }
  }

  /** All that is in it. @throws Error as `open`; it is closed then */
  async entries(): Promise<Entry[]> {
    try {
      return await this.level.iterator().all()
    } catch (error) {
      await this.close().catch(() => undefined)
      throw causeOf(error)
    }
  }

  /**
   * Settles when everything is durable, as one batch. LevelDB syncs its log, but not the name of a new one, which it begins
   * whenever its buffer is full.
   *
   * @throws Error as `open`
   */
  async write(puts: readonly Put[]): Promise<void> {
    try {
      await this.level.batch(
        puts.map(({ key, value }) => (value === undefined ? { type: 'del', key } : { type: 'put', key, value })),
        { sync: true }
      )
      this.#syncNames()
    } catch (error) {
      throw causeOf(error)
    }
  }

  /** Rewrites all entries, so that removed ones take no room any more. Where that fails, the next write fails. */
  async compact(): Promise<void> {
    // `level` has no such method in a browser, so its type has none.
    await (this.level as unknown as ClassicLevel).compactRange('', '\uffff')
    this.#syncNames()
  }

  close(): Promise<void> {
    return this.level.close()
  }

  /** The time of a directory does not tell: some file systems have whole seconds. */
  #syncNames(): void {
    const names = readdirSync(this.#directory).join()
    if (names === this.#names) return
    fileCalls.sync(this.#directory)
    this.#names = names
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
    const opened = await OpenLevel.open(copy, options)
    const entries = await opened.entries()
    await opened.close()
    return entries
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** The failure itself: abstract-level's own error only says that there was one. */
function causeOf(error: unknown): Error & { code?: string } {
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
