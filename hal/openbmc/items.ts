import type { Properties } from '../dbus/mirror.ts'
import type { Value } from '../dbus/values.ts'
import type { Label, WatchedPart } from '../inventory.ts'
import { groupsRoot } from './indicators.ts'
import type { Objects } from './objects.ts'

export const inventoryRoot = '/xyz/openbmc_project/inventory'

const prefix = 'xyz.openbmc_project'
const item = `${prefix}.Inventory.Item`

/** The interfaces by which objects are of a kind. */
const kinds = {
  system: `${item}.System`,
  chassis: `${item}.Chassis`,
  board: `${item}.Board`,
  processor: `${item}.Cpu`,
  core: `${item}.CpuCore`,
  memory: `${item}.Dimm`,
  storage: `${item}.Storage`,
  controller: `${item}.StorageController`,
  drive: `${item}.Drive`,
  supply: `${item}.PowerSupply`,
  fan: `${item}.Fan`,
  card: `${item}.PCIeDevice`,
  slot: `${item}.PCIeSlot`,
  cable: `${item}.Cable`
} as const

export type Kind = keyof typeof kinds

export interface Part {
  readonly path: string
  readonly id: string
}

const asset = `${prefix}.Inventory.Decorator.Asset`
const assetTag = `${prefix}.Inventory.Decorator.AssetTag`
const location = `${prefix}.Inventory.Decorator.LocationCode`
const memoryLocation = `${item}.Dimm.MemoryLocation`
const uuid = `${prefix}.Common.UUID`
const definitions = `${prefix}.Association.Definitions`

export const itemInterfaces = [
  item,
  ...Object.values(kinds),
  ...[memoryLocation, asset, assetTag, location, uuid, definitions]
] as const

/** The most parts of a kind that are shown, and the most associations that lead from a part to its chassis. */
const mostParts = 1000
const longestWay = 16

/** The names of associations that lead from a part to what it is in. */
const inward = ['chassis', 'contained_by', 'powering', 'cooling', 'storage'] as const

/** The objects of parts with their ids, labels and associations, as they are at one moment. */
export class Items {
  readonly #objects: Pick<Objects, 'known' | 'paths'>
  /** By the path and the name of an association, the paths that it leads to. */
  readonly #ends = new Map<string, string[]>()
  readonly #paths = new Map<Kind, readonly string[]>()
  readonly #ids = new Map<string, ReadonlyMap<string, string>>()

  constructor(objects: Pick<Objects, 'known' | 'paths'>) {
    this.#objects = objects
    for (const path of new Set(objects.paths(definitions))) {
      const all = objects.known(path, definitions)?.get('Associations')
      for (const each of Array.isArray(all) ? all : []) {
        const [forward, reverse, end] = Array.isArray(each) ? each : []
        this.#associate(path, forward, end)
        this.#associate(end, reverse, path)
      }
    }
  }

  #associate(path: unknown, name: unknown, end: unknown): void {
    if (typeof path !== 'string' || typeof name !== 'string' || name === '' || typeof end !== 'string') return
    const key = `${path}\n${name}`
    const ends = this.#ends.get(key)
    if (ends === undefined) this.#ends.set(key, [end])
    else ends.push(end)
  }

  /** The end of the first of these associations that exists; the first path in sorted order if it has several. */
  end(path: string, ...names: readonly string[]): string | undefined {
    for (const name of names) {
      const [first, ...others] = this.#ends.get(`${path}\n${name}`) ?? []
      if (first !== undefined) return others.reduce((least, each) => (each < least ? each : least), first)
    }
    return undefined
  }

  /** The objects of a kind that are present, by their paths. */
  paths(kind: Kind): readonly string[] {
    const known = this.#paths.get(kind)
    if (known !== undefined) return known
    const isThere = (path: string) => path.startsWith(`${inventoryRoot}/`) && this.get(path, 'Present') !== false
    const paths = [...new Set(this.#objects.paths(kinds[kind]))].filter(isThere).sort().slice(0, mostParts)
    this.#paths.set(kind, paths)
    return paths
  }

  /** The ids of the objects of kinds by their paths: the last name, with names above it where another one has it too. */
  ids(...of: readonly Kind[]): ReadonlyMap<string, string> {
    const key = of.join()
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const paths = [...new Set(of.flatMap((kind) => this.paths(kind)))].sort()
    const ids = idsOf(paths)
    this.#ids.set(key, ids)
    return ids
  }

  /** Each part of a kind, by its id. */
  map<T>(kind: Kind, show: (path: string, id: string) => T): Record<string, T> {
    return Object.fromEntries([...this.ids(kind)].map(([path, id]) => [id, show(path, id)]))
  }

  /** The parts of a kind by the path of what they belong to. */
  by(kind: Kind, owner: (path: string) => string | undefined): ReadonlyMap<string | undefined, readonly Part[]> {
    const groups = new Map<string | undefined, Part[]>()
    for (const [path, id] of this.ids(kind)) {
      const of = owner(path)
      const group = groups.get(of)
      if (group === undefined) groups.set(of, [{ path, id }])
      else group.push({ path, id })
    }
    return groups
  }

  /** The properties that an object has as one of a kind. */
  of(path: string, kind: Kind): Properties | undefined {
    return this.#objects.known(path, kinds[kind])
  }

  memoryLocation(path: string): Properties | undefined {
    return this.#objects.known(path, memoryLocation)
  }

  /** A property of each part. */
  get(path: string, property: 'Present' | 'PrettyName'): Value | undefined {
    return this.#objects.known(path, item)?.get(property)
  }

  name(path: string): string {
    return text(this.get(path, 'PrettyName')) ?? lastName(path)
  }

  label(path: string): Label {
    const all = this.#objects.known(path, asset)
    return given({
      manufacturer: text(all?.get('Manufacturer')),
      model: text(all?.get('Model')),
      partNumber: text(all?.get('PartNumber')),
      serialNumber: text(all?.get('SerialNumber')),
      sparePartNumber: text(all?.get('SparePartNumber')),
      serviceLabel: text(this.#objects.known(path, location)?.get('LocationCode'))
    })
  }

  /** Of the system, or of a chassis. */
  assetTag(path: string): { readonly assetTag?: string } {
    return given({ assetTag: text(this.#objects.known(path, assetTag)?.get('AssetTag')) || undefined })
  }

  /** When it was made, as a time of RFC 3339; undefined where that is not known, or not in a form that is. */
  made(path: string): string | undefined {
    const told = text(this.#objects.known(path, asset)?.get('BuildDate')) ?? ''
    const [, year, month, day] = /^(\d{4})-?(\d\d)-?(\d\d)(?!\d)/.exec(told) ?? []
    const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
    return Number.isNaN(date.getTime()) ? undefined : `${year}-${month}-${day}T00:00:00Z`
  }

  uuid(path: string): string | undefined {
    const told = text(this.#objects.known(path, uuid)?.get('UUID')) ?? ''
    return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(told) ? told.toLowerCase() : undefined
  }

  /** The name of a part, and what tells whether it works. */
  watched(name: string, path: string): readonly [string, WatchedPart] {
    const group = this.end(path, 'fault_led_group', 'fault_identifying')
    const lamp = group?.startsWith(`${groupsRoot}/`) ? lastName(group) : undefined
    return [name, { object: path.slice(inventoryRoot.length + 1), ...given({ lamp }) }]
  }

  /** The part that a part is in, among some: by its associations, else by its path. Circles lead nowhere. */
  around(path: string, parts: ReadonlyMap<string, string>): string | undefined {
    let at: string | undefined = path
    for (let way = 0; way < longestWay && at !== undefined; way += 1) {
      at = this.end(at, ...inward)
      if (at !== undefined && at !== path && parts.has(at)) return at
    }
    return above(path, parts)
  }
}

/** The part that a path leads through, among some; the innermost of several. */
export function above(path: string, parts: ReadonlyMap<string, string>): string | undefined {
  for (let at = outer(path); at !== ''; at = outer(at)) if (parts.has(at)) return at
  return undefined
}

/** An id that several paths have is made longer: `Riser_cpu0`. One that a path has as a longer id gets a number. */
function idsOf(paths: readonly string[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>()
  const taken = new Set<string>()
  const give = (path: string, id: string) => {
    ids.set(path, id)
    taken.add(id)
  }
  let open = paths.map((path) => ({ path, names: path.split('/') }))
  for (let length = 1; open.length > 0; length += 1) {
    const idOf = ({ names }: (typeof open)[number]) => names.slice(-length).join('_')
    const claims = new Map<string, number>()
    for (const each of open) claims.set(idOf(each), (claims.get(idOf(each)) ?? 0) + 1)
    const settled = open.filter((each) => claims.get(idOf(each)) === 1 || length > each.names.length)
    for (const each of settled) {
      const id = idOf(each)
      let number = 1
      while (taken.has(number === 1 ? id : `${id}_${number}`)) number += 1
      give(each.path, number === 1 ? id : `${id}_${number}`)
    }
    open = open.filter(({ path }) => !ids.has(path))
  }
  return new Map(paths.map((path) => [path, ids.get(path) as string]))
}

const outer = (path: string) => path.slice(0, path.lastIndexOf('/'))

export const lastName = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** Without the members that are not known. */
export function given<T extends object>(members: T): { [M in keyof T]?: Exclude<T[M], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never
}

/** Programs fill their texts with spaces; without anything else they say nothing. */
export function text(value: Value | undefined): string | undefined {
  const trimmed = typeof value === 'string' ? value.trim().slice(0, 256) : ''
  return trimmed === '' ? undefined : trimmed
}

export function count(value: Value | undefined): number | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** `0x8086` with so many digits. */
export function hexOf(value: Value | undefined, digits: number): string | undefined {
  const [, found] = /^(?:0x)?([0-9a-f]+)$/i.exec(typeof value === 'string' ? value : '') ?? []
  return found === undefined || found.length > digits ? undefined : `0x${found.toUpperCase().padStart(digits, '0')}`
}
