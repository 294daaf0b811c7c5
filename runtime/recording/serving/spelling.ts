import { idOf } from '../resources.ts'

/**
 * The recorded paths by their spellings: a client may write the fixed parts of a path in any case, and characters as
 * percent signs and digits (RFC 3986 6.2.2). A resource has one path, by which its answers are remembered.
 */
export class Spelling {
  readonly #paths = new Map<string, string[]>()

  constructor(paths: Iterable<string>) {
    for (const path of new Set(paths)) {
      const key = folded(path)
      const same = this.#paths.get(key)
      if (same === undefined) this.#paths.set(key, [path])
      else same.push(path)
    }
  }

  /**
   * The recorded path that is spelled like this, if there is one.
   *
   * @param ids the parts of it that are known to identify something, decoded: their case matters
   */
  of(path: string, ids: readonly string[]): string | undefined {
    const among = this.#paths.get(folded(path)) ?? []
    const given = partsOf(path)
    const differing = (each: string) => partsOf(each).flatMap((part, at) => (part === given[at] ? [] : [given[at]!]))
    return (
      among.find((each) => each === path) ??
      among.find((each) => differing(each).length === 0) ??
      among.find((each) => !differing(each).some((part) => ids.includes(part)))
    )
  }
}

const partsOf = (path: string) => path.split('/').map(idOf)

const folded = (path: string) => JSON.stringify(partsOf(path)).toLowerCase()
