import { linkIn, pathOf, type Resource } from '../resources.ts'

const nextLink = 'Members@odata.nextLink'
const most = 1000

/**
 * Joins the pages of a collection. Yields the link of each further page; takes the page, or undefined if it is missing.
 *
 * @param link of the collection
 * @returns the collection with the members of all its pages. A page that leads back to an earlier one is the last
 * @throws Error for too many pages
 */
export function* joined(first: Resource, link: string): Generator<string, Resource, Resource | undefined> {
  const { [nextLink]: next, ...resource } = first
  if (next === undefined) return resource
  const members: unknown[] = Array.isArray(resource.Members) ? [...resource.Members] : []
  const known = new Set(members.map(linkIn))
  const pages = new Set([unslashed(link)])
  for (let after: unknown = next; typeof after === 'string' && !pages.has(unslashed(after)); ) {
    if (pages.size >= most) throw new Error(`it has more than ${most} pages`)
    pages.add(unslashed(after))
    const page: Resource | undefined = yield after
    const more: readonly unknown[] = Array.isArray(page?.Members) ? page.Members : []
    members.push(...more.filter((each) => linkIn(each) === undefined || !known.has(linkIn(each))))
    for (const each of more) known.add(linkIn(each))
    after = page?.[nextLink]
  }
  return { ...resource, Members: members }
}

/** A link without slashes at the end of its path. */
const unslashed = (link: string) => pathOf(link) + (/\?.*$/s.exec(link)?.[0] ?? '')
