import type { Writes } from './handler.ts'

/**
 * The array that a PATCH of an array leaves (DSP0266 7.7): each element takes the place of the present one, `{}` keeps
 * the present one and `null` removes it. Present elements beyond the patch are removed.
 */
export function mergeArray<T>(present: readonly T[], patch: readonly T[]): T[] {
  return patch.flatMap((element, index) => {
    if (element === null) return []
    return isEmpty(element) ? present.slice(index, index + 1) : [element]
  })
}

function isEmpty(element: unknown): boolean {
  return typeof element === 'object' && element !== null && !Array.isArray(element) && Object.keys(element).length === 0
}

/** Writes of both, table by table; of the same record the second's. */
export function merged(first: Writes, second: Writes): Writes {
  const tables = new Set([...Object.keys(first), ...Object.keys(second)]) as Set<keyof Writes>
  return Object.fromEntries([...tables].map((table) => [table, { ...first[table], ...second[table] }]))
}
