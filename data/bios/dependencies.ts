import type { Attribute, Dependency, MapFrom, Value } from './registry.ts'

type DependencyMap = Dependency['Dependency']

const ordered =
  (compare: (a: number, b: number) => boolean) =>
  (a: unknown, b: unknown): boolean =>
    typeof a === 'number' && typeof b === 'number' && compare(a, b)

/** The conditions of DSP0268, MapFromCondition. */
export const compare = {
  EQU: (a: unknown, b: unknown) => a === b,
  NEQ: (a: unknown, b: unknown) => a !== b,
  GTR: ordered((a, b) => a > b),
  GEQ: ordered((a, b) => a >= b),
  LSS: ordered((a, b) => a < b),
  LEQ: ordered((a, b) => a <= b)
}

/** Whether the condition of a map holds while attributes are as these say. */
export function holds(
  { MapFrom }: DependencyMap,
  attributes: ReadonlyMap<string, Attribute>,
  values: ReadonlyMap<string, Value>
): boolean {
  const meets = ({ MapFromAttribute, MapFromProperty, MapFromCondition, MapFromValue }: MapFrom): boolean => {
    const property =
      MapFromProperty === 'CurrentValue'
        ? values.get(MapFromAttribute)
        : attributes.get(MapFromAttribute)?.[MapFromProperty]
    // A flag that a definition leaves out is false.
    return compare[MapFromCondition](property ?? (typeof MapFromValue === 'boolean' ? false : null), MapFromValue)
  }
  return MapFrom.reduce((before, each, index) => {
    if (index === 0) return meets(each)
    return each.MapTerms === 'OR' ? before || meets(each) : before && meets(each)
  }, false)
}

/** The maps of dependencies by the attribute that they change. */
export function mapsByTarget(dependencies: readonly Dependency[]): Map<string, DependencyMap[]> {
  const maps = new Map<string, DependencyMap[]>()
  for (const { Dependency } of dependencies) {
    const present = maps.get(Dependency.MapToAttribute)
    if (present === undefined) maps.set(Dependency.MapToAttribute, [Dependency])
    else present.push(Dependency)
  }
  return maps
}

/** The names in their order, but each after those that lead to it; no recursion, since chains may be long. */
export function sourcesFirst(names: Iterable<string>, maps: ReturnType<typeof mapsByTarget>): Set<string> {
  const entered = new Set<string>()
  const left = new Set<string>()
  for (const root of names) {
    const stack = [root]
    for (let name = stack.at(-1); name !== undefined; name = stack.at(-1)) {
      if (entered.has(name)) {
        stack.pop()
        left.add(name)
        continue
      }
      entered.add(name)
      for (const { MapFrom } of maps.get(name) ?? []) {
        for (const { MapFromAttribute } of MapFrom) if (!entered.has(MapFromAttribute)) stack.push(MapFromAttribute)
      }
    }
  }
  return left
}
