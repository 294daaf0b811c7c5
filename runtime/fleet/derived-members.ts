import '#data/recording'
import type { Source } from '#runtime/store/attached.ts'
import type { Store } from '#runtime/store/store.ts'
import type { Shown } from './equipment.ts'

/** Members of the recorded resources of one controller that follow the state of its rack. The disk has none of them. */
export class DerivedMembers implements Source<'recorded'> {
  readonly members = ['derived'] as const
  readonly decides = false
  #shown: Shown = {}
  #listener: (path: string) => unknown = () => undefined

  constructor(store: Store) {
    store.attach('recorded', this)
  }

  /** Replaces all of them. Readers see a change of those that are other ones now. */
  show(shown: Shown): void {
    const paths = new Set([...this.keys(), ...Object.keys(shown)])
    this.#shown = shown
    for (const path of paths) this.#listener(path)
  }

  keys(): string[] {
    return Object.keys(this.#shown)
  }

  get(path: string) {
    const derived = this.#shown[path]
    return derived && { derived }
  }

  /** Clients do not write them, and a reset to defaults leaves them. */
  async write(): Promise<void> {}

  on(listener: (path: string) => unknown): () => void {
    this.#listener = listener
    return () => {
      this.#listener = () => undefined
    }
  }
}
