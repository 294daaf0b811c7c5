/** The most names and places that a line of a report has. */
const most = 12

/** The report of `--redact`: the values that were removed, and those that a person should review. It never has a value. */
export class Redaction {
  readonly #removed = new Map<string, { count: number; names: Set<string> }>()
  readonly #doubts = new Map<string, string[]>()

  /** @param kind in the singular, such as `serial number` */
  removed(kind: string, name: string): void {
    const found = this.#removed.get(kind) ?? { count: 0, names: new Set() }
    this.#removed.set(kind, found)
    found.count += 1
    found.names.add(printable(name))
  }

  doubt(reason: string, name: string, path: string): void {
    const key = `${printable(name)}: ${reason}`
    const found = this.#doubts.get(key) ?? []
    this.#doubts.set(key, found)
    if (!found.includes(path)) found.push(path)
  }

  /** A line for each kind that was removed, and one for each doubt. */
  lines(): string[] {
    const removed = [...this.#removed].map(([kind, { count, names }]) => {
      const shown = [...names].sort().slice(0, most).join(', ')
      return `removed: ${count} ${plural(kind, count)}: ${shown}${others(names.size - most)}`
    })
    const doubts = [...this.#doubts].map(
      ([key, paths]) => `not sure: ${key}, kept: ${printable(paths[0] ?? '')}${others(paths.length - 1)}`
    )
    return [...removed.sort(), ...doubts.sort()]
  }
}

const others = (count: number) => (count > 0 ? `, and ${count} more` : '')

const plural = (kind: string, count: number) => {
  if (count === 1) return kind
  return kind.endsWith('ss') ? `${kind}es` : kind.replace(/(?= of )|$/, 's')
}

const printable = (text: string) => text.replace(/[^ -~]/g, '?').slice(0, 256)
