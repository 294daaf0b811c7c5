import { bootVariable } from '#hal/uefi/variables.ts'
import { idOf, isObject, linkIn, linksIn, type Resource, type Resources, textIn, within } from './resources.ts'

/** The boot options of a system: their paths. */
export const bootOptionsIn = (resources: Resources, system: Resource | undefined) =>
  linksIn(resources.get(linkIn(within(system, ['Boot', 'BootOptions'])) ?? '')?.Members)

const referenceOf = (resources: Resources, path: string) =>
  textIn(resources.get(path), 'BootOptionReference') || idOf(path)

/**
 * The names that UEFI has for recorded boot options (`Boot####`), by their paths. Options that their maker calls otherwise
 * have the numbers that are free; of several with one reference the first has a name.
 */
export function uefiNames(resources: Resources, paths: readonly string[]): ReadonlyMap<string, string> {
  const references = paths.map((path) => referenceOf(resources, path))
  const names = new Map<string, string>()
  let free = 0
  for (const [index, path] of paths.entries()) {
    const reference = references[index]!
    if (!resources.has(path) || references.indexOf(reference) !== index) continue
    const isUefi = /^Boot[\dA-F]{4}$/.test(reference)
    while (!isUefi && references.includes(bootVariable(free).name)) free += 1
    names.set(path, isUefi ? reference : bootVariable(free++).name)
  }
  return names
}

/**
 * The names in a boot order: those of UEFI by all that clients use, references, ids and aliases; and the maker's
 * references by those of UEFI. `aliases` has those of boot options by their references.
 */
export function bootNames(resources: Resources, system: Resource | undefined) {
  const names = [...uefiNames(resources, bootOptionsIn(resources, system))]
  const own = new Map<string, string>()
  for (const kind of [
    (path: string) => referenceOf(resources, path),
    idOf,
    (path: string) => textIn(resources.get(path), 'Alias')
  ])
    for (const [path, name] of names) if (kind(path) !== '' && !own.has(kind(path))) own.set(kind(path), name)
  const makers = new Map(names.map(([path, name]) => [name, referenceOf(resources, path)]))
  const aliases = new Map(names.map(([path]) => [referenceOf(resources, path), textIn(resources.get(path), 'Alias')]))
  return { own, makers, aliases }
}

/** A system, or a change of one, with other names in its boot order. */
export function renamed<T extends Resource | undefined>(system: T, names: ReadonlyMap<string, string>): T {
  const boot = within(system, ['Boot'])
  if (!isObject(boot) || !Array.isArray(boot.BootOrder)) return system
  return { ...system, Boot: { ...boot, BootOrder: boot.BootOrder.map((each) => names.get(each) ?? each) } }
}
