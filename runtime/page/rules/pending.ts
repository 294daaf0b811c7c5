import type { Values } from '#data/bios'

/** The names of the values that the next reset changes. */
export function changedNames(current: Values, next: Values): string[] {
  return Object.keys(next).filter((name) => next[name] !== current[name])
}
