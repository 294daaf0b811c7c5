/** Properties to keep, by name: wholly (`true`) or some of what is in them. */
export type Selection = ReadonlyMap<string, Selection | true>

/**
 * Parses a `$select` (DSP0266): paths with `/`, separated by commas; `*` is every property.
 *
 * @returns undefined for a path with an empty name in it
 */
export function parseSelect(text: string): Selection | undefined {
  const selection = new Map<string, Selection | true>()
  for (const path of text.split(',')) {
    const names = path.trim().split('/')
    if (names.includes('')) return undefined
    add(selection, names)
  }
  return selection
}

function add(selection: Map<string, Selection | true>, names: readonly string[]): void {
  let into = selection
  for (const [index, name] of names.entries()) {
    const present = into.get(name)
    if (present === true) return
    if (index === names.length - 1) into.set(name, true)
    else if (present !== undefined) into = present as Map<string, Selection | true>
    else {
      const next = new Map<string, Selection | true>()
      into.set(name, next)
      into = next
    }
  }
}

/**
 * The selected properties of a resource, with the control properties `@odata.…` and the annotations of what is
 * selected (`Name@Redfish.…`). Paths go through arrays: they mean each element.
 */
export function selectFrom(resource: object, selection: Selection): object {
  if (selection.has('*')) return resource
  const result: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(resource)) {
    const chosen = selection.get(name)
    if (chosen === true || name.startsWith('@odata.') || annotates(name, selection)) result[name] = value
    else if (chosen !== undefined && typeof value === 'object' && value !== null) result[name] = within(value, chosen)
  }
  return result
}

function within(value: object, selection: Selection): object {
  if (!Array.isArray(value)) return selectFrom(value, selection)
  return value.map((each) => (typeof each === 'object' && each !== null ? within(each, selection) : each))
}

function annotates(name: string, selection: Selection): boolean {
  const at = name.indexOf('@')
  return at > 0 && selection.has(name.slice(0, at))
}
