/**
 * Whether a resource that is shown may have changed when something happened to another one: it is that one, stands below
 * or above it, or names it.
 *
 * @param uri of the resource that is shown; with a query perhaps
 * @param links the URIs that it names
 * @param origin of the event
 */
export function concerns(uri: string, links: ReadonlySet<string>, origin: string): boolean {
  const [path = ''] = uri.split('?')
  if (path === origin || links.has(origin)) return true
  return isBelow(path, origin) || isBelow(origin, path)
}

/** The root, and the collections below it, are above everything: what is deep down does not change them. */
function isBelow(path: string, above: string): boolean {
  return path.startsWith(above) && above.split('/').length > 5
}

const naming: ReadonlySet<string> = new Set(['@odata.id', 'DataSourceUri'])

/** The URIs that a resource names: its links, and where what it copies from others is from. */
export function linksIn(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (typeof value !== 'object' || value === null) return found
  for (const [name, inner] of Object.entries(value)) {
    if (naming.has(name) && typeof inner === 'string') found.add(inner)
    else linksIn(inner, found)
  }
  return found
}
