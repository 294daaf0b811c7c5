import { Listeners } from '#runtime/base/listeners.ts'
import type { Properties } from '../dbus/mirror.ts'
import type { Value } from '../dbus/values.ts'
import type { FoundParts, FoundSensor, FoundSupply, Inventory, Label } from '../inventory.ts'
import { type BusOptions, busOptions, type Objects, wordOf } from './objects.ts'
import { foundSensor, sensorsRoot, sensorValue } from './sensor-kinds.ts'
import { heldBy, thresholdInterfaces } from './thresholds.ts'

/** The back end `openbmc` of the inventory: what EntityManager, the inventory manager and SMBIOS tell. */
export interface OpenbmcInventoryOptions extends BusOptions {
  /** Milliseconds for which parts must be the same before the change counts. Default 10,000. */
  readonly settleTime?: number | undefined
}

/** {@link OpenbmcInventoryOptions} in a board file. */
export const openbmcInventoryOptions = {
  type: 'object',
  properties: {
    settleTime: {
      type: 'integer',
      minimum: 0,
      description: 'Milliseconds for which parts must be the same before the change counts. Default 10000'
    },
    ...busOptions
  }
} as const

const root = '/xyz/openbmc_project/inventory'
const prefix = 'xyz.openbmc_project'
const item = `${prefix}.Inventory.Item`
const kinds = {
  system: `${item}.System`,
  chassis: `${item}.Chassis`,
  board: `${item}.Board`,
  processor: `${item}.Cpu`,
  memory: `${item}.Dimm`,
  storage: `${item}.Storage`,
  drive: `${item}.Drive`,
  supply: `${item}.PowerSupply`,
  pcieDevice: `${item}.PCIeDevice`,
  pcieSlot: `${item}.PCIeSlot`
} as const
const memoryLocation = `${item}.Dimm.MemoryLocation`
const asset = `${prefix}.Inventory.Decorator.Asset`
const location = `${prefix}.Inventory.Decorator.LocationCode`
const uuid = `${prefix}.Common.UUID`
const definitions = `${prefix}.Association.Definitions`

export const inventoryInterfaces = [
  ...[item, ...Object.values(kinds), memoryLocation, asset, location, uuid, definitions],
  ...[sensorValue, ...thresholdInterfaces]
]

/** The most parts of a kind that are shown, and the most associations that lead from a part to its chassis. */
const mostParts = 1000
const longestWay = 16

export function openbmcInventory(objects: Objects, { settleTime = 10_000 }: OpenbmcInventoryOptions): Inventory {
  const listeners = new Listeners<void>()
  let shown = ''
  let seen = ''
  let sensors = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const read = () => {
    sensors = new Set(objects.paths(sensorValue))
    return new Reader(objects).parts()
  }
  const look = () => {
    timer = undefined
    const now = JSON.stringify(read())
    const isSettled = now === seen
    seen = now
    if (now === shown) return
    if (!isSettled) wait()
    else {
      shown = now
      listeners.emit()
    }
  }
  const wait = () => {
    timer ??= setTimeout(look, settleTime)
  }
  objects.on((changed) => {
    const isOther = (path: string) => path.startsWith(sensorsRoot) && !sensors.has(path)
    const isGone = (path: string) => sensors.has(path) && objects.known(path, sensorValue) === undefined
    if ([...changed].some((path) => path.startsWith(root) || isOther(path) || isGone(path))) wait()
  })
  return {
    settled: objects.settled,
    read() {
      const parts = read()
      shown = JSON.stringify(parts)
      seen = shown
      return parts
    },
    on: (listener) => listeners.add(listener),
    async close() {
      clearTimeout(timer)
      listeners.clear()
      objects.close()
    }
  }
}

/** A sensor, and the paths of its chassis and of the part that it measures. */
type Placed = Omit<NonNullable<ReturnType<typeof foundSensor>>, 'sensor'> & {
  readonly sensor: FoundSensor
  readonly chassis: string
  readonly part: string | undefined
}

/** One reading of all objects. */
class Reader {
  readonly #objects: Objects
  /** By the path and the name of an association, the paths that it leads to. */
  readonly #ends = new Map<string, string[]>()
  readonly #ids = new Map<string, ReadonlyMap<string, string>>()

  constructor(objects: Objects) {
    this.#objects = objects
    for (const path of objects.paths(definitions)) {
      const all = objects.known(path, definitions)?.get('Associations')
      for (const each of Array.isArray(all) ? all : []) {
        const [forward, reverse, end] = Array.isArray(each) ? each : []
        this.#associate(path, forward, end)
        this.#associate(end, reverse, path)
      }
    }
  }

  parts(): FoundParts {
    const [system = ''] = this.#paths('system')
    const made = text(this.#get(system, uuid, 'UUID'))
    return {
      system: { ...this.#label(system), ...(made !== undefined && isUuid(made) && { uuid: made.toLowerCase() }) },
      processors: this.#map('processor', (path) => this.#processor(path)),
      memory: this.#map('memory', (path) => this.#memory(path)),
      storage: this.#map('storage', (path) => ({ name: this.#name(path), drives: this.#drives(path) })),
      chassis: this.#chassis()
    }
  }

  #associate(path: unknown, name: unknown, end: unknown): void {
    if (typeof path !== 'string' || typeof name !== 'string' || name === '' || typeof end !== 'string') return
    const key = `${path}\n${name}`
    this.#ends.set(key, [...(this.#ends.get(key) ?? []), end])
  }

  #end(path: string, name: string): string | undefined {
    return this.#ends.get(`${path}\n${name}`)?.sort()[0]
  }

  #get(path: string, name: string, property: string): Value | undefined {
    return this.#objects.known(path, name)?.get(property)
  }

  /** The objects of a kind that are present, by their paths. */
  #paths(kind: keyof typeof kinds): string[] {
    const all = [...new Set(this.#objects.paths(kinds[kind]))].sort()
    return all.filter((path) => this.#get(path, item, 'Present') !== false).slice(0, mostParts)
  }

  /** The ids of the objects of a kind by their paths: the last name, with names above it where another one has it too. */
  #idsOf(...of: (keyof typeof kinds)[]): ReadonlyMap<string, string> {
    const key = of.join()
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const paths = [...new Set(of.flatMap((kind) => this.#paths(kind)))].sort()
    const named = (length: number) => (path: string) => path.split('/').slice(-length).join('_')
    const ids = new Map(
      paths.map((path) => {
        let length = 1
        const isShared = () => paths.some((each) => each !== path && named(length)(each) === named(length)(path))
        while (isShared() && length < path.split('/').length) length += 1
        return [path, named(length)(path)]
      })
    )
    this.#ids.set(key, ids)
    return ids
  }

  #map<T>(kind: keyof typeof kinds, show: (path: string) => T): Record<string, T> {
    return Object.fromEntries([...this.#idsOf(kind)].map(([path, id]) => [id, show(path)]))
  }

  #label(path: string): Label {
    const all = this.#objects.known(path, asset)
    const of = (property: string) => text(all?.get(property))
    return given({
      manufacturer: of('Manufacturer'),
      model: of('Model'),
      partNumber: of('PartNumber'),
      serialNumber: of('SerialNumber')
    })
  }

  #name(path: string): string {
    return text(this.#get(path, item, 'PrettyName')) ?? path.slice(path.lastIndexOf('/') + 1)
  }

  #place(path: string): string {
    return text(this.#get(path, location, 'LocationCode')) ?? this.#name(path)
  }

  #processor(path: string) {
    const of = this.#objects.known(path, kinds.processor)
    return {
      ...this.#label(path),
      socket: text(of?.get('Socket')) ?? this.#name(path),
      cores: count(of?.get('CoreCount')) ?? 0,
      threads: count(of?.get('ThreadCount')) ?? 0,
      ...given({ maxSpeedMHz: count(of?.get('MaxSpeedInMhz')) || undefined })
    }
  }

  #memory(path: string) {
    const of = this.#objects.known(path, kinds.memory)
    const at = this.#objects.known(path, memoryLocation)
    return {
      ...this.#label(path),
      location: text(of?.get('MemoryDeviceLocator')) ?? this.#name(path),
      socket: (count(at?.get('Socket')) ?? 0) + 1,
      slot: (count(at?.get('Slot')) ?? 0) + 1,
      capacityMiB: Math.floor((count(of?.get('MemorySizeInKB')) ?? 0) / 1024),
      ...given({
        speed: count(of?.get('MemoryConfiguredSpeedInMhz')) || undefined,
        ranks: count(of?.get('MemoryAttributes')) || undefined
      })
    }
  }

  #drives(storage: string) {
    const ids = this.#idsOf('drive')
    const own = [...ids].filter(([path]) => this.#end(path, 'storage') === storage || path.startsWith(`${storage}/`))
    return Object.fromEntries(
      own.map(([path, id]) => {
        const of = this.#objects.known(path, kinds.drive)
        const protocol = wordOf(of?.get('Protocol'))
        const capacityBytes = count(of?.get('Capacity')) ?? 0
        const { partNumber: _, ...label } = this.#label(path)
        return [id, { ...label, bay: this.#place(path), capacityBytes, ...given({ protocol }) }] as const
      })
    )
  }

  #chassis(): FoundParts['chassis'] {
    const ids = this.#idsOf('chassis', 'board')
    const sensors = this.#sensors(ids)
    const first = ids.keys().next().value ?? ''
    const inside = (kind: keyof typeof kinds, chassis: string) =>
      [...this.#idsOf(kind)].filter(([path]) => (this.#chassisOf(path, ids) ?? first) === chassis)
    return Object.fromEntries(
      [...ids].map(([path, id]) => {
        const type = wordOf(this.#get(path, kinds.chassis, 'Type'))
        const own = sensors.filter((each) => each.chassis === path)
        const supplies = this.#supplies(inside('supply', path), own)
        const taken = new Set(supplies.map(({ power }) => power?.number))
        const outer = this.#end(path, 'contained_by') ?? ''
        return [
          id,
          {
            ...this.#label(path),
            name: this.#name(path),
            ...given({ type, containedBy: outer === path ? undefined : ids.get(outer) }),
            supplies,
            sensors: own.map(({ sensor }) => sensor).filter(({ number }) => !taken.has(number)),
            pcieDevices: Object.fromEntries(inside('pcieDevice', path).map(([at, name]) => [name, this.#card(at)])),
            pcieSlots: inside('pcieSlot', path).map(([at]) => this.#slot(at)),
            inputs: Object.fromEntries(own.map(({ sensor, input }) => [sensor.number, input]))
          }
        ] as const
      })
    )
  }

  /** The chassis that a part is in: by its associations, else by its path. */
  #chassisOf(path: string, chassis: ReadonlyMap<string, string>): string | undefined {
    let at: string | undefined = path
    for (let way = 0; way < longestWay && at !== undefined; way += 1) {
      const from: string = at
      const names = ['chassis', 'contained_by', 'powering', 'cooling'] as const
      at = names.map((name) => this.#end(from, name)).find((end) => end !== undefined)
      if (at !== undefined && chassis.has(at)) return at
    }
    for (let above = path; above !== ''; above = above.slice(0, above.lastIndexOf('/')))
      if (above !== path && chassis.has(above)) return above
    return undefined
  }

  #sensors(chassis: ReadonlyMap<string, string>): Placed[] {
    const numbers = new Set<number>()
    return [...new Set(this.#objects.paths(sensorValue))].sort().flatMap((path) => {
      const of = this.#end(path, 'chassis')
      const found = foundSensor(path, this.#objects.known(path, sensorValue) as Properties, numbers)
      if (found === undefined || of === undefined || !chassis.has(of)) return []
      const sensor = { ...found.sensor, held: heldBy(this.#objects, path) }
      return [{ ...found, sensor, chassis: of, part: this.#end(path, 'inventory') }]
    })
  }

  #supplies(supplies: readonly (readonly [path: string, id: string])[], sensors: readonly Placed[]): FoundSupply[] {
    const bays = new Set<number>()
    return supplies.map(([path]) => {
      const own = sensors.filter(({ sensor, part }) => sensor.kind === 'power' && part === path)
      const named = (word: RegExp) => own.find(({ sensor }) => word.test(sensor.id))
      const output = named(/output/i)
      const power = output ?? named(/input/i) ?? own[0]
      let bay = Number(/\d{1,4}$/.exec(path)?.[0] ?? 0)
      while (bays.has(bay)) bay += 1
      bays.add(bay)
      const measures = output === undefined && power !== undefined ? 'Input' : 'Output'
      return { ...this.#label(path), bay, measures, ...given({ power: power?.sensor }) }
    })
  }

  #card(path: string) {
    const of = this.#objects.known(path, kinds.pcieDevice)
    const functions = []
    for (let number = 0; number < 8; number += 1) {
      const id = (property: string, digits: number) => hexOf(of?.get(`Function${number}${property}`), digits)
      const deviceId = id('DeviceId', 4)
      if (deviceId === undefined) continue
      functions.push({
        classCode: id('ClassCode', 6) ?? '0x000000',
        vendorId: id('VendorId', 4) ?? '0x0000',
        deviceId,
        subsystemVendorId: id('SubsystemVendorId', 4) ?? '0x0000',
        subsystemId: id('SubsystemId', 4) ?? '0x0000'
      })
    }
    return {
      ...this.#label(path),
      name: this.#name(path),
      functions,
      ...given({ generation: wordOf(of?.get('GenerationInUse')), lanes: count(of?.get('LanesInUse')) || undefined })
    }
  }

  #slot(path: string) {
    const of = this.#objects.known(path, kinds.pcieSlot)
    const card = this.#end(path, 'associated_pcie_device')
    return {
      label: this.#place(path),
      ...given({
        generation: wordOf(of?.get('Generation')),
        lanes: count(of?.get('Lanes')) || undefined,
        device: card === undefined ? undefined : this.#idsOf('pcieDevice').get(card)
      })
    }
  }
}

/** Without the members that are not known. */
function given<T extends object>(members: T): { [M in keyof T]?: Exclude<T[M], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never
}

/** Programs fill their texts with spaces; without anything else they say nothing. */
function text(value: Value | undefined): string | undefined {
  const trimmed = typeof value === 'string' ? value.trim().slice(0, 256) : ''
  return trimmed === '' ? undefined : trimmed
}

function count(value: Value | undefined): number | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** `0x8086` with so many digits. */
function hexOf(value: Value | undefined, digits: number): string | undefined {
  const [, found] = /^(?:0x)?([0-9a-f]+)$/i.exec(typeof value === 'string' ? value : '') ?? []
  return found === undefined || found.length > digits ? undefined : `0x${found.toUpperCase().padStart(digits, '0')}`
}

const isUuid = (value: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
