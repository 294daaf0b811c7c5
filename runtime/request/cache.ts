import { Listeners } from '#runtime/base/listeners.ts'
import { log, logs } from '#runtime/base/log.ts'
import type { Revisions } from '#runtime/store/revisions.ts'
import type { Answer } from './answer.ts'
import type { Basis } from './basis.ts'

/** An answer to GET that is good until something that it depends on changes. */
export interface CachedAnswer {
  readonly tag: string
  readonly answer: Answer
}

interface Entry extends CachedAnswer {
  /** The paths that it depends on, which are as they were when it was made. */
  readonly dependencies: readonly string[]
}

/** An answer has at most this part of the room: a large expansion consists of many, which shall stay. */
const largest = 8

/** Answers by URI, the least recently made first out, bounded in bytes. */
export class AnswerCache {
  readonly #entries = new Map<string, Entry>()
  /** The URIs that depend on a path; most paths have one, which needs no set. */
  readonly #dependents = new Map<string, string | Set<string>>()
  readonly #dropped = new Listeners<string>()
  readonly #capacity: number
  #bytes = 0

  constructor(capacity: number, revisions: Revisions) {
    this.#capacity = capacity
    revisions.onMoved((path) => {
      const uris = this.#dependents.get(path) ?? []
      for (const uri of typeof uris === 'string' ? [uris] : uris) this.#drop(uri, path)
    })
  }

  get(uri: string): Entry | undefined {
    return this.#entries.get(uri)
  }

  /** Calls back with the URI of each answer that is no longer in here; the function returned ends that. */
  onDropped(listener: (uri: string) => void): () => void {
    return this.#dropped.add(listener)
  }

  /**
   * Keeps an answer for as long as its basis stands, if it may be kept.
   *
   * @param basis absent for what never changes
   * @returns whether it is in here now
   */
  set(uri: string, kept: CachedAnswer, basis?: Pick<Basis, 'volatile' | 'revisions'>): boolean {
    const { answer } = kept
    const size = sizeOf(uri, answer)
    const cause = basis?.volatile ?? (size > this.#capacity / largest ? 'size' : undefined)
    if (cause !== undefined) {
      if (logs('debug')) log.debug('an answer is not cached', { uri, cause, bytes: size, limit: this.#capacity })
      return false
    }
    this.#drop(uri, 'newer answer')
    const entry: Entry = { ...kept, dependencies: [...(basis?.revisions.keys() ?? [])] }
    this.#entries.set(uri, entry)
    this.#bytes += size
    for (const path of entry.dependencies) {
      const uris = this.#dependents.get(path)
      if (typeof uris === 'object') uris.add(uri)
      else this.#dependents.set(path, uris === undefined ? uri : new Set([uris, uri]))
    }
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#capacity) break
      this.#drop(oldest, 'room')
    }
    return true
  }

  /** @param cause for the log: the path that moved, or why else */
  #drop(uri: string, cause: string): void {
    const entry = this.#entries.get(uri)
    if (entry === undefined) return
    if (logs('debug')) log.debug('a cached answer is dropped', { uri, cause })
    this.#entries.delete(uri)
    this.#bytes -= sizeOf(uri, entry.answer)
    for (const path of entry.dependencies) {
      const uris = this.#dependents.get(path)
      if (typeof uris === 'object') uris.delete(uri)
      if (typeof uris === 'string' || uris?.size === 0) this.#dependents.delete(path)
    }
    this.#dropped.emit(uri)
  }
}

/** Counts the name as well: that of a query is as long as the client made it. */
const sizeOf = (name: string, { body }: Answer) => name.length + (body?.length ?? 0)
