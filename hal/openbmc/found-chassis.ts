import type { Properties } from '../dbus/mirror.ts'
import type { FoundChassis, FoundParts, FoundSensor, FoundSupply } from '../inventory.ts'
import { count, given, hexOf, type Items, type Kind, lastName, type Part } from './items.ts'
import { type Objects, wordOf } from './objects.ts'
import { foundSensor, sensorValue } from './sensor-kinds.ts'
import { heldBy } from './thresholds.ts'

/** A sensor, and the paths of its chassis and of the part that it measures. */
type Placed = Omit<NonNullable<ReturnType<typeof foundSensor>>, 'sensor'> & {
  readonly sensor: FoundSensor
  readonly chassis: string
  readonly part: string | undefined
}

/** Each chassis with what is in it. @param all their ids by their paths; what is in none of them is in the first */
export function chassisParts(objects: Objects, items: Items, all: ReadonlyMap<string, string>): FoundParts['chassis'] {
  const sensors = placedSensors(objects, items, all)
  const [first] = all.keys()
  const inside = (kind: Kind) => items.by(kind, (path) => items.around(path, all) ?? first)
  const [supplies, cards, slots] = [inside('supply'), inside('card'), inside('slot')]
  return Object.fromEntries(
    [...all].map(([path, id]) => {
      const own = sensors.filter((each) => each.chassis === path)
      const [ownSupplies, ownCards] = [supplies.get(path) ?? [], cards.get(path) ?? []]
      const shown = suppliesWith(items, ownSupplies, own)
      const taken = new Set(shown.map(({ power }) => power?.number))
      const fans = fansOf(items, own)
      const outer = items.end(path, 'contained_by') ?? ''
      const chassis: FoundChassis = {
        ...items.label(path),
        ...items.assetTag(path),
        name: items.name(path),
        ...given({
          type: wordOf(items.of(path, 'chassis')?.get('Type')),
          containedBy: outer === path ? undefined : all.get(outer)
        }),
        supplies: shown,
        fans: fans.map(({ fan }) => fan),
        sensors: own.map(({ sensor }) => sensor).filter(({ kind, number }) => kind !== 'fan' && !taken.has(number)),
        pcieDevices: Object.fromEntries(ownCards.map((each) => [each.id, card(items, each.path)] as const)),
        pcieSlots: (slots.get(path) ?? []).map((each) => slot(items, each.path)),
        inputs: Object.fromEntries(own.map(({ sensor, input }) => [sensor.number, input])),
        parts: Object.fromEntries([
          items.watched(`chassis/${id}`, path),
          ...ownSupplies.map((each) => items.watched(`powerSupplies/${each.id}`, each.path)),
          ...fans.flatMap(({ fan, path: at }) => (at === undefined ? [] : [items.watched(`fans/${fan.id}`, at)])),
          ...ownCards.map((each) => items.watched(`pcieDevices/${each.id}`, each.path))
        ])
      }
      return [id, chassis] as const
    })
  )
}

function placedSensors(objects: Objects, items: Items, chassis: ReadonlyMap<string, string>): Placed[] {
  const numbers = new Set<number>()
  return [...new Set(objects.paths(sensorValue))].sort().flatMap((path) => {
    const of = items.end(path, 'chassis')
    const found = foundSensor(path, objects.known(path, sensorValue) as Properties, numbers)
    if (found === undefined || of === undefined || !chassis.has(of)) return []
    const sensor = { ...found.sensor, held: heldBy(objects, path) }
    return [{ ...found, sensor, chassis: of, part: items.end(path, 'inventory') }]
  })
}

/**
 * A fan for each sensor of a speed: the part that it is of, if no other sensor measures that as well, or else the sensor
 * by its name.
 */
function fansOf(items: Items, sensors: readonly Placed[]) {
  const speeds = sensors.filter(({ sensor }) => sensor.kind === 'fan')
  const ids = items.ids('fan')
  const counts = new Map<string | undefined, number>()
  for (const { part } of speeds) counts.set(part, (counts.get(part) ?? 0) + 1)
  const taken = new Set<string>()
  return speeds.map(({ sensor, input, part }) => {
    const path = part !== undefined && ids.has(part) ? part : undefined
    const isAlone = path !== undefined && counts.get(path) === 1
    const wanted = isAlone ? (ids.get(path) as string) : lastName(input.object)
    const id = taken.has(wanted) ? String(sensor.number) : wanted
    taken.add(id)
    return { path, fan: { ...(path !== undefined && items.label(path)), id, speed: sensor } }
  })
}

function suppliesWith(items: Items, supplies: readonly Part[], sensors: readonly Placed[]): FoundSupply[] {
  const bays = new Set<number>()
  return supplies.map(({ path, id }) => {
    const own = sensors.filter(({ sensor, part }) => sensor.kind === 'power' && part === path)
    const named = (word: RegExp) => own.find(({ sensor }) => word.test(sensor.id))
    const output = named(/output/i)
    const power = output ?? named(/input/i) ?? own[0]
    let bay = Number(/\d{1,4}$/.exec(path)?.[0] ?? 0)
    while (bays.has(bay)) bay += 1
    bays.add(bay)
    const measures = output === undefined && power !== undefined ? 'Input' : 'Output'
    const known = given({ productionDate: items.made(path), power: power?.sensor })
    return { ...items.label(path), id, name: items.name(path), bay, measures, ...known }
  })
}

function card(items: Items, path: string) {
  const of = items.of(path, 'card')
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
    ...items.label(path),
    name: items.name(path),
    functions,
    ...given({ generation: wordOf(of?.get('GenerationInUse')), lanes: count(of?.get('LanesInUse')) || undefined })
  }
}

function slot(items: Items, path: string) {
  const of = items.of(path, 'slot')
  const card = items.end(path, 'associated_pcie_device')
  return {
    label: items.label(path).serviceLabel ?? items.name(path),
    ...given({
      generation: wordOf(of?.get('Generation')),
      lanes: count(of?.get('Lanes')) || undefined,
      device: card === undefined ? undefined : items.ids('card').get(card)
    })
  }
}
