import { utf8Text } from '#runtime/base/bytes.ts'
import { isObject, linkIn, pathOf, type Resource, textIn, typeOf } from '../resources.ts'
import type { SourceFile } from './archive.ts'
import { tidy } from './crawl.ts'
import { filesIn } from './files.ts'
import { joined } from './pages.ts'

const root = '/redfish/v1'

/** The file of a resource in a folder of its own (DSP2043), and in one folder with all others. */
const indexed = /^(.*\/)?index\.json$/
const flat = /^(.*\/)?(_?redfish_v1(?:_[^/]*)?)\.json$/

/**
 * Reads the mockups in a folder or archive: as Redfish-Mockup-Creator writes them and as DMTF bundles them (DSP2043),
 * `index.json` in a folder for each segment of a path, which may begin at `/redfish`, at `/redfish/v1`, or at the
 * server's root; or all files in one folder, named like `_redfish_v1_Systems.json`.
 *
 * @param most resources of one mockup
 * @param said called with each file that is not recorded, and why
 * @returns their resources by the names of their folders: empty for that at the top
 * @throws Error if the folder or archive cannot be read
 */
export function readMockups(
  from: string,
  most: number,
  said: (line: string) => void
): Map<string, ReadonlyMap<string, Resource>> {
  const files = filesIn(from)
  const mockups = new Map<string, ReadonlyMap<string, Resource>>()
  const tops = topsOf(files)
  for (const top of tops) {
    const own = files.filter(({ name }) => tops.find((each) => name.startsWith(each)) === top)
    mockups.set(top.replace(/(^|\/)(redfish\/)?(v1\/)?$/, ''), readMockup(own, top, most, said))
  }
  return mockups
}

/** The folders of service roots, each with a slash at its end; a folder within another one does not count. */
function topsOf(files: readonly SourceFile[]): string[] {
  const tops: string[] = []
  const isWithin = (name: string) => tops.some((top) => name.startsWith(top))
  const depth = ({ name }: SourceFile) => name.split('/').length
  for (const file of files.toSorted((one, other) => depth(one) - depth(other))) {
    const isRoot = () => /(^|\/)redfish\/v1\/index\.json$/.test(file.name) || typeOf(parsed(file)) === 'ServiceRoot'
    const isTop =
      /^_?redfish_v1_?$/.test(flat.exec(file.name)?.[2] ?? '') ||
      (indexed.test(file.name) && !isWithin(file.name) && isRoot())
    if (isTop && !isWithin(file.name)) tops.push(file.name.slice(0, file.name.lastIndexOf('/') + 1))
  }
  return tops.sort()
}

/** The resource in a file; undefined if it is not a JSON object. */
function parsed(file: SourceFile): Resource | undefined {
  try {
    return read(file)
  } catch {
    return undefined
  }
}

/** @throws Error for what is no JSON object */
function read(file: SourceFile): Resource {
  const value = JSON.parse(utf8Text(file.read()).replace(/^\uFEFF/, '')) as unknown
  if (!isObject(value)) throw new Error('it is not a JSON object')
  return value
}

/** The resources in the files below a folder. */
function readMockup(files: readonly SourceFile[], top: string, most: number, said: (line: string) => void) {
  const found = new Map<string, Resource>()
  const flats = new Map<string, Resource>()
  for (const file of files) {
    const [, folder = '', name] = flat.exec(file.name) ?? []
    const isFlat = name !== undefined && folder === top
    if (!isFlat && !indexed.test(file.name)) continue
    if (found.size + flats.size >= most) throw new RangeError(`there are more than ${most} resources`)
    try {
      const resource = read(file)
      if (isFlat) flats.set(name, resource)
      else found.set(`${root}/${file.name.slice(top.length)}`.slice(0, -'/index.json'.length), resource)
    } catch (error) {
      said(`${file.name}: ${(error as Error).message}`)
    }
  }
  for (const [path, resource] of linked(flats)) found.set(path, resource)
  return collected(found)
}

/** Flat files by the links of their resources: their names have an underscore for each character but letters and digits. */
function linked(flats: ReadonlyMap<string, Resource>): Map<string, Resource> {
  const signs = (text: string) => text.replace(/[^a-z\d]+/gi, '_').replace(/^_|_$/g, '')
  const links = new Map<string, string>()
  const look = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(look)
    if (!isObject(value)) return
    for (const each of [value['@odata.id'], value.Uri, value['Members@odata.nextLink']]) {
      if (typeof each !== 'string') continue
      const link = each.replace(/#.*$/s, '')
      for (const name of [link, link.replace(/\.json$/, '')]) links.set(signs(name), link)
    }
    Object.values(value).forEach(look)
  }
  for (const resource of flats.values()) look(resource)
  return new Map(
    Array.from(flats, ([name, resource]) => {
      const own = linkIn(resource)
      const isOwn = own !== undefined && signs(own) === signs(name)
      return [isOwn ? own : (links.get(signs(name)) ?? `/${signs(name).replaceAll('_', '/')}`), resource]
    })
  )
}

/** Resources by their paths, of collections with all pages. @param found by their links, some with a query */
function collected(found: ReadonlyMap<string, Resource>): Map<string, Resource> {
  const byPath = new Map(Array.from(found, ([link, resource]) => [link.replace(/\/+$/, ''), resource]))
  const resources = new Map<string, Resource>()
  for (const [link, resource] of byPath) {
    if (link.includes('?') || !/^\/redfish\/v1(\/|$)/.test(link)) continue
    const pages = joined(resource, link)
    let step = pages.next()
    while (!step.done) step = pages.next(byPath.get(step.value.replace(/\/+$/, '')))
    resources.set(pathIn(link, step.value), tidy(step.value))
  }
  return resources
}

/** The path of a resource as its `@odata.id` spells it, if its folder differs from that only in case or encoding. */
function pathIn(path: string, resource: Resource): string {
  const spelled = encodeURI(path).replace(/%25([\dA-F]{2})/gi, '%$1')
  const own = pathOf(textIn(resource, '@odata.id'))
  const folded = (text: string) => {
    try {
      return decodeURIComponent(text).toLowerCase()
    } catch {
      return text.toLowerCase()
    }
  }
  return /^[!-~]+$/.test(own) && folded(own) === folded(spelled) ? own : spelled
}
