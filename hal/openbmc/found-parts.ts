import type { FoundParts } from '../inventory.ts'
import { chassisParts } from './found-chassis.ts'
import { above, count, given, Items, type Part, text } from './items.ts'
import { type Objects, wordOf } from './objects.ts'

/** The parts of the machine, as the objects of the bus describe them. */
export function foundParts(objects: Objects): FoundParts {
  const items = new Items(objects)
  const [system = ''] = items.paths('system')
  const [processors, storages] = [items.ids('processor'), items.ids('storage')]
  const storageOf = (path: string) => {
    const end = items.end(path, 'storage') ?? ''
    return storages.has(end) ? end : above(path, storages)
  }
  const cores = items.by('core', (path) => above(path, processors))
  const controllers = items.by('controller', storageOf)
  const drives = items.by('drive', storageOf)
  const chassis = items.ids('chassis', 'board')
  return {
    system: { ...items.label(system), ...items.assetTag(system), ...given({ uuid: items.uuid(system) }) },
    processors: items.map('processor', (path) => processor(items, path, cores.get(path) ?? [])),
    memory: items.map('memory', (path) => memory(items, path)),
    storage: items.map('storage', (path) => ({
      name: items.name(path),
      controller: controllers.get(path)?.map((each) => items.label(each.path))[0] ?? {},
      drives: Object.fromEntries((drives.get(path) ?? []).map((each) => [each.id, drive(items, each.path)] as const))
    })),
    cables: items.map('cable', (path) => cable(items, path, chassis)),
    parts: Object.fromEntries([
      ...watchedBelow(items, 'cores', processors, cores),
      ...watchedBelow(items, 'drives', storages, drives),
      ...watchedAll(items, 'processors', processors),
      ...watchedAll(items, 'memory', items.ids('memory')),
      ...watchedAll(items, 'controllers', storages),
      ...watchedAll(items, 'cables', items.ids('cable'))
    ]),
    chassis: chassisParts(objects, items, chassis)
  }
}

function processor(items: Items, path: string, cores: readonly Part[]) {
  const of = items.of(path, 'processor')
  return {
    ...items.label(path),
    socket: text(of?.get('Socket')) ?? items.name(path),
    cores: count(of?.get('CoreCount')) || cores.length,
    threads: count(of?.get('ThreadCount')) ?? 0,
    ...given({ maxSpeedMHz: count(of?.get('MaxSpeedInMhz')) || undefined, family: text(of?.get('Family')) })
  }
}

function memory(items: Items, path: string) {
  const of = items.of(path, 'memory')
  const at = items.memoryLocation(path)
  return {
    ...items.label(path),
    location: text(of?.get('MemoryDeviceLocator')) ?? items.name(path),
    socket: (count(at?.get('Socket')) ?? 0) + 1,
    slot: (count(at?.get('Slot')) ?? 0) + 1,
    capacityMiB: Math.floor((count(of?.get('MemorySizeInKB')) ?? 0) / 1024),
    ...given({
      speed: count(of?.get('MemoryConfiguredSpeedInMhz')) || undefined,
      ranks: count(of?.get('MemoryAttributes')) || undefined,
      type: wordOf(of?.get('MemoryType')),
      moduleType: wordOf(of?.get('FormFactor')),
      errorCorrection: wordOf(of?.get('ECC'))
    })
  }
}

function drive(items: Items, path: string) {
  const of = items.of(path, 'drive')
  const { serviceLabel = items.name(path), ...label } = items.label(path)
  const capacityBytes = count(of?.get('Capacity')) ?? 0
  return {
    ...label,
    bay: serviceLabel,
    capacityBytes,
    ...given({ protocol: wordOf(of?.get('Protocol')), medium: wordOf(of?.get('Type')) })
  }
}

/** A cable leads from the first of its associations to the second, as far as it has them. */
function cable(items: Items, path: string, chassis: ReadonlyMap<string, string>) {
  const of = items.of(path, 'cable')
  const metres = of?.get('Length')
  const end = (side: 'upstream' | 'downstream') => {
    const to = items.end(path, `${side}_chassis`, `${side}_connector`, `${side}_resource`)
    const at = to === undefined || chassis.has(to) ? to : items.around(to, chassis)
    return at === undefined ? undefined : chassis.get(at)
  }
  return {
    ...items.label(path),
    name: items.name(path),
    ...given({
      type: text(of?.get('CableTypeDescription')),
      lengthMeters: typeof metres === 'number' && metres > 0 && Number.isFinite(metres) ? metres : undefined,
      upstream: end('upstream'),
      downstream: end('downstream')
    })
  }
}

const watchedAll = (items: Items, kind: string, ids: ReadonlyMap<string, string>) =>
  [...ids].map(([path, id]) => items.watched(`${kind}/${id}`, path))

/** Those that are in a part with an id: `drives/Storage_0/drive0`. */
const watchedBelow = (
  items: Items,
  kind: string,
  ids: ReadonlyMap<string, string>,
  groups: ReadonlyMap<string | undefined, readonly Part[]>
) =>
  [...ids].flatMap(([outer, owner]) =>
    (groups.get(outer) ?? []).map(({ path, id }) => items.watched(`${kind}/${owner}/${id}`, path))
  )
