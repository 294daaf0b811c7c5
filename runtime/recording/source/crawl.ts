import { isPersonal } from '../redaction/redact.ts'
import { isObject, pathOf, type Resource, textIn, typeOf } from '../resources.ts'
import { joined } from './pages.ts'
import { Reader, type Source } from './reader.ts'

/** The most bytes of all answers. */
const longestAll = 268_435_456

const root = '/redfish/v1'

/**
 * Reads all resources that the links of a service lead to, one after another, with GET.
 *
 * @param said called with each that is not recorded, and why
 * @throws Error if the service root cannot be read
 */
export async function crawl(source: Source, said: (line: string) => void): Promise<Map<string, Resource>> {
  const resources = new Map<string, Resource>()
  const waiting = new Map([[root, `${root}/`]])
  const reader = new Reader(source)
  try {
    for (const [path, link] of waiting) {
      if (resources.size >= source.most || reader.bytes >= longestAll) {
        said(`there are more than ${resources.size} resources: the rest is left out`)
        break
      }
      try {
        const resource = await whole(reader, link)
        resources.set(path, tidy(resource))
        for (const each of links(resource))
          if (waiting.size < 4 * source.most && !waiting.has(pathOf(each))) waiting.set(pathOf(each), each)
      } catch (error) {
        const { message } = error as Error
        const hint = /certificate/.test(message) && !source.insecure ? ' (--insecure accepts any)' : ''
        if (path === root) throw new Error(`${source.url.origin}${link}: ${message}${hint}`)
        said(`${path}: ${message}`)
      }
    }
  } finally {
    await reader.close()
  }
  return resources
}

/**
 * A resource; a collection with the members of all its pages.
 *
 * @throws Error if there is no end of them
 */
async function whole(reader: Reader, link: string): Promise<Resource> {
  const pages = joined(await reader.get(link), link)
  let step = pages.next()
  while (!step.done) {
    if (reader.bytes >= longestAll) throw new Error(`with its pages, there are more than ${longestAll} bytes`)
    step = pages.next(isOwn(pathOf(step.value)) ? await reader.get(step.value) : undefined)
  }
  return step.value
}

/** Makers whose accounts are slots have 10 and more. */
const mayBeSlots = (type: string, members: readonly unknown[]) =>
  type === 'ManagerAccountCollection' && members.length >= 8

/** A resource without what is of its moment, and without persons. */
export function tidy(resource: Resource): Resource {
  const { '@odata.etag': _, ...rest } = resource
  const settings = rest['@Redfish.Settings']
  if (isObject(settings)) {
    const { ETag: __, Messages: ___, ...whole } = settings
    return { ...rest, '@Redfish.Settings': whole }
  }
  const { Members: members } = rest
  if (!isPersonal(typeOf(rest)) || !Array.isArray(members) || mayBeSlots(typeOf(rest), members)) return rest
  return { ...rest, Members: [], 'Members@odata.count': 0 }
}

/** The links of a resource to others of the same service, and to the files of attribute registries. */
function links(resource: Resource): string[] {
  const found = new Set<string>()
  const isRegistry = /attribute/i.test(textIn(resource, 'Registry') || textIn(resource, 'Id'))
  const look = (value: unknown) => {
    if (Array.isArray(value)) value.forEach(look)
    if (!isObject(value)) return
    const link = value['@odata.id']
    if (typeof link === 'string') found.add(link.replace(/[#?].*$/s, ''))
    if (isRegistry && typeof value.Uri === 'string') found.add(value.Uri)
    Object.values(value).forEach(look)
  }
  look(tidy(resource))
  return [...found].filter((link) => isOwn(pathOf(link)))
}

/** Whether a path is one of the service's resources. The schemas of types are not recorded. */
function isOwn(path: string): boolean {
  return (
    /^\/redfish\/v1\/[!-~]+$/.test(path) &&
    path.length < 1024 &&
    !/\/(JsonSchemas|SchemaStore|schemas)(\/|$)/.test(path)
  )
}
