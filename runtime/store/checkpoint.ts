import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { replaceFile } from '#runtime/base/files.ts'
import { type Entry, type State, stateEntry } from './state.ts'

/** A whole store as it was at one moment. */
export interface Copy {
  readonly state: State
  /** Whether it is of before the first commit. */
  readonly isBlank: boolean
  entries(): Entry[]
}

/**
 * The last good copy of the store, a file beside it: a line with the state, a line for each entry, JSON all of them, and
 * the SHA-256 of what is before. There is one at a time, replaced as a whole.
 */
export class Checkpoint {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  get exists(): boolean {
    return statSync(this.#file, { throwIfNoEntry: false }) !== undefined
  }

  /**
   * Leaves a copy of nothing, before a store is made: a store that is damaged was not acknowledged then. A disk that
   * refuses that refuses the store as well.
   */
  begin(): void {
    try {
      this.write({ commit: 0, sum: 0, at: 0 }, [])
    } catch {}
  }

  /** Removes it. */
  remove(): void {
    rmSync(this.#file, { force: true })
  }

  /** Settles on disk. @throws the system's error; the copy from before is still there then */
  write(state: State, entries: Iterable<Entry>): void {
    let text = `${JSON.stringify(state)}\n`
    for (const entry of entries) text += `${JSON.stringify(entry)}\n`
    replaceFile(this.#file, `${text}${digest(text)}\n`)
  }

  /** @returns undefined without a whole one */
  read(): Copy | undefined {
    try {
      const all = readFileSync(this.#file, 'utf8')
      const end = all.lastIndexOf('\n', all.length - 2) + 1
      const text = all.slice(0, end)
      if (all.slice(end) !== `${digest(text)}\n`) return undefined
      const [first = '', ...rest] = text.trimEnd().split('\n')
      const state = JSON.parse(first) as State
      const isBlank = state.commit === 0
      return { state, isBlank, entries: () => [stateEntry(state), ...rest.map((line) => JSON.parse(line) as Entry)] }
    } catch {
      return undefined
    }
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
