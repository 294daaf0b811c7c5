import { fail } from '#runtime/contract'
import type { Basis } from './basis.ts'

/** How many queries are remembered, each with the paths of all that it read. */
const most = 4

/** Queries that read too many resources, by their names in the cache, until something that they read changes. */
export class RefusedQueries {
  readonly #bases = new Map<string, Basis>()

  /** @throws MessageError 507 */
  check(key: string): void {
    if (this.#isRefused(key)) fail(507, 'Base.InsufficientStorage')
  }

  /** @param basis of what the query read */
  remember(key: string, basis: Basis): void {
    // One that was refused without reading rests on what the first one read.
    if (this.#isRefused(key)) return
    if (this.#bases.size >= most) this.#bases.delete(this.#bases.keys().next().value ?? '')
    this.#bases.set(key, basis)
  }

  #isRefused(key: string): boolean {
    return this.#bases.get(key)?.isCurrent({ exceptReadings: true }) ?? false
  }
}
