import { readSignatureLists } from '#hal/uefi/signature-list.ts'
import { secureBootVariables } from '#hal/uefi/variables.ts'
import { fromBase64, isBase64 } from '#runtime/base/bytes.ts'
import { fileFaults, type Property } from '#runtime/schema'
import { type Board, type BoardBootOption, type BoardSystem, boardSchema, entry, powerModes } from './board.ts'
import { parseBootName } from './boot-name.ts'
import type { BoardPcieDevice } from './inventory.ts'
import { thresholdNames } from './inventory.ts'
import type { BackendOptions } from './members.ts'

/**
 * The faults of a board file, in one line each: values that its schema refuses, else ids of parts that are not there and
 * values that contradict one another.
 *
 * @param backends those that there are; the options of others are not looked at
 */
export function boardFaults(file: unknown, backends: BackendOptions = {}): string[] {
  const schema = boardSchema(backends)
  const faults = fileFaults(schema, file)
  if (faults.length > 0) return faults
  const board = file as Board
  faults.push(...unknownIds(board, schema, board))
  for (const [id, system] of Object.entries(board.systems)) {
    faults.push(...lackingFaults(`systems/${id}`, system))
    faults.push(...bootFaults(`systems/${id}/bootOptions`, system.bootOptions ?? []))
    for (const mode of Object.keys(system.powerMode?.modes ?? {})) {
      if (!(powerModes as readonly string[]).includes(mode))
        faults.push(`systems/${id}/powerMode: ${mode} is not a power mode`)
    }
    for (const [database, keys] of Object.entries(system.factoryKeys ?? {})) {
      const fault = factoryKeysFault(database, keys)
      if (fault !== undefined) faults.push(`systems/${id}/factoryKeys: ${database} ${fault}`)
    }
  }
  return [...faults, ...inventoryFaults(board)]
}

/** The ids in a part of a board that its schema looks for elsewhere in the board (`memberOf`), and that are not there. */
function unknownIds(
  board: { readonly [inventory: string]: unknown },
  schema: Property | undefined,
  value: unknown,
  ...path: readonly string[]
): string[] {
  if (schema === undefined || value === undefined || value === null) return []
  if (schema.type === 'array')
    return (value as unknown[]).flatMap((each) => unknownIds(board, schema.items, each, ...path))
  if (schema.type === 'object')
    return Object.entries(value).flatMap(([name, each]) =>
      unknownIds(board, entry(schema.properties, name) ?? schema.additionalProperties, each, ...path, name)
    )
  if (!('memberOf' in schema) || Object.hasOwn(board[schema.memberOf] ?? {}, value as string)) return []
  return [`${path.join('/')} names ${value}, which does not exist`]
}

/** Members of a system that describe its firmware, and the devices of which one is needed for each. */
const needs = [
  ['attributeRegistry', ['nvram', 'bios']],
  ['bios', ['attributeRegistry']],
  ['biosDevices', ['attributeRegistry']],
  ['bootOptions', ['nvram']],
  ['factoryKeys', ['nvram']],
  ['powerMode', ['attributeRegistry']]
] as const

function lackingFaults(from: string, system: BoardSystem): string[] {
  return needs.flatMap(([member, ways]) =>
    system[member] === undefined || ways.some((way) => system[way] !== undefined)
      ? []
      : `${from}/${member} needs ${ways.join(' or ')}`
  )
}

function bootFaults(from: string, options: readonly BoardBootOption[]): string[] {
  return options.flatMap((option, index) => {
    const { structuredName } = option
    const twice = (['reference', 'structuredName'] as const)
      .filter((member) => options.findIndex((each) => each[member] === option[member]) < index)
      .map((member) => `${from}: ${option[member]} stands twice`)
    return parseBootName(structuredName) === undefined
      ? [`${from}: ${structuredName} is not a boot name`, ...twice]
      : twice
  })
}

/** The fault of the keys that a board names, if there is one. */
function factoryKeysFault(id: string, base64: string): string | undefined {
  if (!id.endsWith('Default') || !Object.hasOwn(secureBootVariables, id)) return 'is not a default database'
  if (!isBase64(base64)) return 'is not base64'
  return readSignatureLists(fromBase64(base64)).sound ? undefined : 'does not consist of EFI signature lists'
}

/** The contradictions in an inventory, in one line each. */
function inventoryFaults({ systems, chassis }: Board): string[] {
  const faults: string[] = []
  const known = (from: string, inventory: object, ids: readonly string[]) => {
    for (const id of ids) if (!Object.hasOwn(inventory, id)) faults.push(`${from} names ${id}, which does not exist`)
  }
  for (const [id, system] of Object.entries(systems)) {
    for (const [storage, { controller, drives, volumes }] of Object.entries(system.storage)) {
      for (const [drive, { resets = [], sanitization = [] }] of Object.entries(drives)) {
        if (system.power.type === 'sim') continue
        const from = `systems/${id}/storage/${storage}/drives/${drive}`
        if (resets.length > 0) faults.push(`${from}/resets: no device of this host resets a drive`)
        if (sanitization.length > 0 && !Object.hasOwn(system.drives ?? {}, `${storage}/${drive}`))
          faults.push(`${from}/sanitization: the host has no device in drives/${storage}/${drive} that erases it`)
      }
      for (const [volume, { raidType, drives: members }] of Object.entries(volumes)) {
        const from = `systems/${id}/storage/${storage}/volumes/${volume}`
        known(from, drives, members)
        if (!controller.raidTypes.includes(raidType))
          faults.push(`${from} is ${raidType}, which its controller does not make`)
      }
    }
  }
  for (const [
    id,
    { systems: hosts, fans, temperatures, powerSupplies, loads = [], measurements = [], pcieDevices, pcieSlots }
  ] of Object.entries(chassis)) {
    const outputs = powerSupplies.flatMap(({ output }) => output ?? [])
    const sensors = [...temperatures, ...fans, ...outputs, ...loads, ...measurements]
    for (const names of [sensors.map(({ number }) => String(number)), sensors.flatMap(({ id }) => id ?? [])])
      for (const [index, name] of names.entries())
        if (names.indexOf(name) < index) faults.push(`chassis/${id}: sensor ${name} stands twice`)
    for (const { number, thresholds = {}, ...own } of sensors) {
      const { critical: UpperCritical, fatal: UpperFatal } = own as {
        readonly critical?: number
        readonly fatal?: number
      }
      const all = { UpperCritical, UpperFatal, ...thresholds }
      const readings = thresholdNames.flatMap((name) => all[name] ?? [])
      if (readings.some((reading, at) => at > 0 && reading <= (readings[at - 1] as number)))
        faults.push(`chassis/${id}: the thresholds of sensor ${number} are not in order`)
    }
    known(
      `chassis/${id}/pcieSlots`,
      pcieDevices,
      pcieSlots.flatMap(({ device }) => device ?? [])
    )
    // Of a host that is not there, the fault is named already.
    if (!hosts.every((host) => Object.hasOwn(systems, host))) continue
    const interfaces = Object.assign({}, ...hosts.map((host) => systems[host]?.ethernetInterfaces))
    for (const [device, each] of Object.entries(pcieDevices))
      faults.push(...portFaults(`chassis/${id}/pcieDevices/${device}/ports`, each, interfaces))
  }
  return faults
}

/** @param interfaces those of the hosts in the chassis */
function portFaults(from: string, { functions, ports = {} }: BoardPcieDevice, interfaces: object): string[] {
  return Object.entries(ports).flatMap(([id, { function: number, ethernetInterface, fibreChannel }]) => {
    const names = (what: string) => `${from}/${id} names ${what}, which does not exist`
    return [
      ...(number < functions.length ? [] : [names(`function ${number}`)]),
      ...((ethernetInterface === undefined) === (fibreChannel === undefined)
        ? [`${from}/${id} is not one of ethernetInterface and fibreChannel`]
        : []),
      ...(ethernetInterface === undefined || Object.hasOwn(interfaces, ethernetInterface)
        ? []
        : [names(ethernetInterface)])
    ]
  })
}
