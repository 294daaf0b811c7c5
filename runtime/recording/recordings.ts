import type { Board } from '#data/board'
import { utf8 } from '#runtime/base/bytes.ts'
import { stored } from '#runtime/base/gzip.ts'
import type { Document } from '#runtime/contract'
import type { BoardFile, Host, Recordings } from '#runtime/open/options.ts'
import { entityTag } from '#runtime/request/etag.ts'
import type { Documents } from '#runtime/store/documents.ts'
import { check } from './check.ts'
import { record } from './command.ts'
import { isObject, pathOf, type Resource, type Resources } from './resources.ts'
import { attributeRegistryOf, boardOf, systemsOf } from './serving/board.ts'
import { addressesIn, numbersIn } from './serving/individual.ts'
import { initialState } from './serving/initial.ts'
import { RecordedRoutes } from './serving/routes.ts'
import { writesOf } from './serving/writes.ts'

/** Recordings are board files that have `resources` as well: recorded resources by their paths. */
export const recordings: Recordings = { record, check, read, equipment }

/** Its first chassis has devices; other chassis have what is in their resources. */
function equipment(name: string, resources: object, pattern: Board) {
  const { chassis, managers, ...board } = boardOf(checked(resources), pattern, name)
  const [first = ''] = Object.keys(chassis)
  const own = { [first]: chassis[first]! }
  const [[id, manager]] = Object.entries(managers) as [[string, Board['managers'][string]]]
  return { ...board, chassis: own, managers: { [id]: { ...manager, chassis: [first], virtualMedia: {} } }, resources }
}

function read(
  { resources: given, writes: others = 'remember', ...board }: Board & { resources?: unknown; writes?: unknown },
  host: Pick<Host, 'documents' | 'handlers'>
): BoardFile {
  const resources = checked(given)
  const writes = writesOf.find((each) => each === others)
  if (writes === undefined) throw new RangeError(`writes is none of ${writesOf.join(', ')}`)
  const made = new Map<number, RecordedRoutes>()
  const routes = (longest: number) => {
    const known = made.get(longest) ?? new RecordedRoutes(host.handlers, longest, resources, writes)
    made.set(longest, known)
    return known
  }
  return {
    board,
    documents: withRegistries(host.documents, resources),
    recorded: {
      routes,
      initial: (individual, time) => initialState(resources, individual, time),
      addresses: () => addressesIn(resources),
      numbers: () => numbersIn(resources)
    }
  }
}

/** @throws RangeError for what is no recording */
function checked(given: unknown): Resources {
  if (!isObject(given)) throw new RangeError('resources is not an object')
  const entries = Object.entries(given).map(([path, resource]): [string, Resource] => {
    if (!/^\/redfish\/v1(\/[!-~]*)?$/.test(path)) throw new RangeError(`resources: ${path.slice(0, 64)} is not a path`)
    if (!isObject(resource)) throw new RangeError(`resources: ${path} is not an object`)
    return [pathOf(path), resource]
  })
  return new Map(entries)
}

/** The files of the build, and attribute registries that were recorded. */
function withRegistries(documents: Documents, resources: Resources): Documents {
  const files = new Map<string, Document>()
  for (const system of systemsOf(resources)) {
    const found = attributeRegistryOf(resources, system)
    if (found === undefined) continue
    const tag = entityTag(JSON.stringify(found.registry), '')
    const text = JSON.stringify({ ...found.registry, '@odata.etag': tag })
    files.set(`registries/${found.id}.json`, { gzip: stored(utf8(text)), tag })
  }
  const names = [...documents.names, ...files.keys()]
  return { get: (name) => files.get(name) ?? documents.get(name), names }
}
