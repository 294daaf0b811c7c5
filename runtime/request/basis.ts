import type { Caller, Reader, Volatile } from '#runtime/contract'
import { isReadings, type Revisions } from '#runtime/store/revisions.ts'

/** The time in an answer: its text, and how far the clock is from universal time. */
export interface ShownTime {
  readonly text: string
  readonly offset: string
}

/**
 * Everything that an answer depends on. It decides whether the answer may be cached and whether the host may repeat it,
 * makes its entity tag, and tells whether a change that was worked out from it may still be stored.
 */
export class Basis implements Reader {
  readonly localAddress: string | undefined
  readonly revisions = new Map<string, number>()
  readonly #now: Pick<Revisions, 'of'>
  readonly #caller: Caller
  readonly #times: ShownTime[] = []
  #moment: Date | undefined
  #volatile: Volatile | undefined
  #showsReadings = false

  constructor(now: Pick<Revisions, 'of'>, caller: Caller, localAddress?: string) {
    this.#now = now
    this.#caller = caller
    this.localAddress = localAddress
  }

  get caller(): Caller {
    this.depends('caller')
    return this.#caller
  }

  track(path: string): void {
    if (!this.revisions.has(path)) this.revisions.set(path, this.#now.of(path))
    this.#showsReadings ||= isReadings(path)
  }

  /** A value that changes by itself replaces `caller`, whose answers only differ from one caller to another. */
  depends(on: Volatile): void {
    if (this.#volatile === undefined || this.#volatile === 'caller') this.#volatile = on
  }

  /** The time of the request, which is one for all of its answer. */
  moment(now: () => Date): Date {
    this.#moment ??= now()
    return this.#moment
  }

  /** Notes that the answer shows its time, as this text. */
  shows(text: string, offset: string): string {
    this.#times.push({ text, offset })
    return text
  }

  /** The times that the answer shows, each as often as it does. */
  get times(): readonly ShownTime[] {
    return this.#times
  }

  /** Takes over what a part of the answer depends on, as it was when that part was made. */
  include({ revisions, volatile }: Basis): void {
    for (const [path, revision] of revisions) {
      if (!this.revisions.has(path)) this.revisions.set(path, revision)
      this.#showsReadings ||= isReadings(path)
    }
    if (volatile !== undefined) this.depends(volatile)
  }

  /** Why the answer is not cached; undefined if it is good for every client until one of `revisions` moves. */
  get volatile(): Volatile | undefined {
    return this.#volatile
  }

  /** Whether the answer shows what changes by itself. */
  get moves(): boolean {
    return (
      this.#showsReadings || this.#times.length > 0 || (this.#volatile !== undefined && this.#volatile !== 'caller')
    )
  }

  /** Whether nothing that was read has changed since, but for readings where they do not matter. */
  isCurrent({ exceptReadings = false } = {}): boolean {
    for (const [path, revision] of this.revisions)
      if (this.#now.of(path) !== revision && !(exceptReadings && isReadings(path))) return false
    return true
  }

  /** The newest revision of what was read, but for readings, which change by themselves. */
  revision(): number {
    let newest = 0
    for (const [path, revision] of this.revisions) {
      if (revision > newest && !isReadings(path)) newest = revision
    }
    return newest
  }
}
