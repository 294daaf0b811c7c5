/** The kinds of machines that the controllers of a rack manage. */
export const equipmentKinds = ['Server', 'ChassisManager', 'PowerShelf', 'Switch', 'CoolingUnit'] as const

export type EquipmentKind = (typeof equipmentKinds)[number]

/** The entry of an inventory for one controller. */
export interface Listed {
  /** The file and the line. */
  readonly path: string
  /** Its own, where the controllers are reached at those of the inventory. */
  readonly address?: string
  readonly unit?: number
  readonly identity: { readonly [member: string]: string }
}

/** The racks of a group's controllers, if any, and the entries of an inventory for them. */
export interface Placed {
  /** The path of the group in the file, such as `racks.0.servers.0`; absent for one of `groups`. */
  readonly path?: string
  readonly listed?: readonly Listed[]
  readonly place?: {
    readonly kind: EquipmentKind
    /** The names of the racks, and how many of the group's controllers each has, one rack after another. */
    readonly racks: readonly string[]
    readonly each: number
    /** The position of the first of them in its rack, where that is known. */
    readonly unit?: number | undefined
  }
}

/** The place of one controller. */
export interface InRack {
  readonly kind: EquipmentKind
  readonly rack: string
  /** Its position in the rack. */
  readonly unit?: number | undefined
}

/** The place of a controller of a group. @param index among them, from 0 */
export function inRack({ place, listed }: Placed, index: number): InRack | undefined {
  if (place === undefined) return undefined
  const { kind, racks, each } = place
  const unit = listed?.[index]?.unit ?? (place.unit === undefined ? undefined : place.unit + (index % each))
  const position = unit === undefined ? {} : { unit }
  return { kind, rack: racks[Math.floor(index / each)]!, ...position }
}

/** The members that say how the controllers of a rack are reached. */
interface Reached {
  readonly [member: string]: unknown
  readonly network?: string | undefined
  readonly domain?: string | undefined
}

interface Rack {
  readonly name: string
  readonly count?: number | undefined
  readonly servers: readonly ({ readonly count: number } & Reached)[]
  readonly chassisManager?: boolean | undefined
  readonly powerShelves?: number | undefined
  readonly switches?: number | undefined
  readonly coolingUnit?: boolean | undefined
}

/** The groups of the controllers of racks: those of a kind are a group, of all racks that are alike. */
export function rackGroups(racks: readonly (Rack & Reached)[]): (Placed & { readonly count: number })[] {
  return racks.flatMap((rack, index) => {
    const { name, count = 1, servers, chassisManager, powerShelves = 0, switches = 0, coolingUnit, ...reach } = rack
    const names = Array.from({ length: count }, (_, at) => numbered(name, at + 1))
    let unit = 1
    // Without an address or a name for each, those after the first group have the ports that follow its own.
    const { port: _, ...after } = reach
    const others = reach.network === undefined && reach.domain === undefined ? after : reach
    const placed = (kind: EquipmentKind, each: number, path: string, more: object) => ({
      ...(path === '.servers.0' ? reach : others),
      ...more,
      count: count * each,
      path: `racks.${index}${path}`,
      place: { kind, racks: names, each, ...(kind === 'Server' && { unit }) }
    })
    const hosts = servers.map((group, at) => {
      const made = placed('Server', group.count, `.servers.${at}`, group)
      unit += group.count
      return made
    })
    const equipment = (kind: EquipmentKind, each: number, hostName: string) =>
      each === 0 ? [] : [placed(kind, each, '', { identity: { hostName: `${hostName}-{n:5}` } })]
    return [
      ...hosts,
      ...equipment('ChassisManager', chassisManager ? 1 : 0, 'rack'),
      ...equipment('PowerShelf', powerShelves, 'shelf'),
      ...equipment('Switch', switches, 'switch'),
      ...equipment('CoolingUnit', coolingUnit ? 1 : 0, 'cooling')
    ]
  })
}

/** The number of a rack in its name. */
const numbered = (name: string, number: number) =>
  name.replace(/\{n(?::(\d{1,2}))?\}/g, (_, width = '0') => String(number).padStart(Number(width), '0'))

/** The first mistake in racks that fit their schema, after its path. */
export function racksFault(racks: readonly Rack[]): string | undefined {
  const known = new Set<string>()
  for (const [index, { name, count = 1, servers }] of racks.entries()) {
    const [unknown] = /\{[^}]*\}?/.exec(name.replace(/\{n(?::\d{1,2})?\}/g, '')) ?? []
    if (unknown !== undefined) return `racks.${index}.name: ${unknown} is unknown; a name may contain {n}`
    if (servers.length === 0) return `racks.${index}.servers has no elements`
    for (let number = 1; number <= count; number += 1) {
      const each = numbered(name, number)
      if (known.has(each)) return `racks.${index}.name: two racks are ${each}; {n} makes each another one`
      known.add(each)
    }
  }
  return undefined
}
