import { log, logs } from '#runtime/store/log.ts'
import type { Revisions } from '#runtime/store/revisions.ts'
import type { Answer } from './answer.ts'

/** An answer to GET that stands until something it rests on changes. */
export interface KeptAnswer {
  readonly tag: string
  readonly answer: Answer
}

interface Entry extends KeptAnswer {
  readonly rests: readonly string[]
}

/** Answers by URI, the least recently made first out, bounded in bytes. */
export class KeptAnswers {
  readonly #entries = new Map<string, Entry>()
  readonly #restingOn = new Map<string, Set<string>>()
  readonly #most: number
  #bytes = 0

  constructor(most: number, revisions: Revisions) {
    this.#most = most
    revisions.onMoved((path) => {
      for (const uri of this.#restingOn.get(path) ?? []) this.#drop(uri, path)
    })
  }

  get(uri: string): KeptAnswer | undefined {
    return this.#entries.get(uri)
  }

  /** @param rests the paths of revisions that the answer rests on */
  keep(uri: string, tag: string, answer: Answer, rests: Iterable<string>): void {
    const size = answer.body?.length ?? 0
    if (size > this.#most) {
      if (logs('debug')) log('debug', 'an answer is not cached', { uri, cause: 'size', bytes: size, limit: this.#most })
      return
    }
    this.#drop(uri, 'made again')
    const entry: Entry = { tag, answer, rests: [...rests] }
    this.#entries.set(uri, entry)
    this.#bytes += size
    for (const path of entry.rests) {
      const uris = this.#restingOn.get(path)
      if (uris === undefined) this.#restingOn.set(path, new Set([uri]))
      else uris.add(uri)
    }
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#most) break
      this.#drop(oldest, 'room')
    }
  }

  /** @param cause for the log: the path that moved, or why else */
  #drop(uri: string, cause: string): void {
    const entry = this.#entries.get(uri)
    if (entry === undefined) return
    if (logs('debug')) log('debug', 'a cached answer is dropped', { uri, cause })
    this.#entries.delete(uri)
    this.#bytes -= entry.answer.body?.length ?? 0
    for (const path of entry.rests) {
      const uris = this.#restingOn.get(path)
      uris?.delete(uri)
      if (uris?.size === 0) this.#restingOn.delete(path)
    }
  }
}
