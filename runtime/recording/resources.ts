/** The JSON object of a resource as it was recorded. */
export type Resource = { readonly [member: string]: unknown }

/** Recorded resources by their paths, without slashes at the ends. */
export type Resources = ReadonlyMap<string, Resource>

export function isObject(value: unknown): value is Resource {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The path that a link leads to, without a slash at its end, the fragment and the query. */
export function pathOf(link: string): string {
  return link.replace(/[#?].*$/s, '').replace(/\/+$/, '')
}

/** A member of a member of …, e.g. `['Boot', 'BootOptions']`. */
export function within(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value)
}

/** The path that an object `{ "@odata.id": … }` leads to. */
export function linkIn(value: unknown): string | undefined {
  const link = within(value, ['@odata.id'])
  return typeof link === 'string' ? pathOf(link) : undefined
}

/** The paths that a list of links leads to. */
export function linksIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(linkIn).filter((each) => each !== undefined) : []
}

/** The text at a place, or another one. */
export function textIn(value: unknown, name: string, otherwise = ''): string {
  const text = within(value, [name])
  return typeof text === 'string' ? text : otherwise
}

/** The type of a resource without its version, e.g. `ComputerSystem`; empty if it says none. */
export function typeOf(resource: unknown): string {
  return /^#?(\w+)\b/.exec(textIn(resource, '@odata.type'))?.[1] ?? ''
}

/** The last segment of a path, which is the id of its resource. */
export function idOf(path: string): string {
  const segment = path.slice(path.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
