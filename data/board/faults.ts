import { readSignatureLists } from '#hal/uefi/signature-list.ts'
import { secureBootVariables } from '#hal/uefi/variables.ts'
import { fromBase64, isBase64 } from '#runtime/base/bytes.ts'
import { fileFaults } from '#runtime/schema'
import { type Board, type BoardBootOption, boardSchema, powerModes } from './board.ts'
import { parseBootName } from './boot-name.ts'
import type { BackendOptions } from './members.ts'

/**
 * The faults of a board file, in one line each: values that its schema refuses, else links that lead nowhere and
 * values that contradict one another.
 *
 * @param backends those that there are; the options of others are not looked at
 */
export function boardFaults(file: unknown, backends: BackendOptions = {}): string[] {
  const faults = fileFaults(boardSchema(backends), file)
  if (faults.length > 0) return faults
  const board = file as Board
  const { systems, chassis, managers } = board
  const known = (from: string, inventory: object, ids: readonly string[]) => {
    for (const id of ids) if (!Object.hasOwn(inventory, id)) faults.push(`${from} names ${id}, which is not there`)
  }
  for (const [id, system] of Object.entries(systems)) {
    known(`systems/${id}/chassis`, chassis, system.chassis)
    known(`systems/${id}/manager`, managers, [system.manager])
    faults.push(...bootFaults(`systems/${id}/bootOptions`, system.bootOptions))
    for (const mode of Object.keys(system.powerMode?.modes ?? {})) {
      if (!(powerModes as readonly string[]).includes(mode))
        faults.push(`systems/${id}/powerMode: ${mode} is not a power mode`)
    }
    for (const [database, keys] of Object.entries(system.factoryKeys ?? {})) {
      const fault = factoryKeysFault(database, keys)
      if (fault !== undefined) faults.push(`systems/${id}/factoryKeys: ${database} ${fault}`)
    }
  }
  for (const [id, each] of Object.entries(chassis)) {
    known(`chassis/${id}/systems`, systems, each.systems)
    known(`chassis/${id}/managers`, managers, each.managers)
    if (each.containedBy !== undefined) known(`chassis/${id}/containedBy`, chassis, [each.containedBy])
  }
  for (const [id, manager] of Object.entries(managers)) {
    known(`managers/${id}/systems`, systems, manager.systems)
    known(`managers/${id}/chassis`, chassis, manager.chassis)
  }
  return [...faults, ...inventoryFaults(board)]
}

function bootFaults(from: string, options: readonly BoardBootOption[]): string[] {
  const faults: string[] = []
  for (const [index, { reference, structuredName, uefiDevicePath }] of options.entries()) {
    if (parseBootName(structuredName) === undefined) faults.push(`${from}: ${structuredName} is not a boot name`)
    const before = options.slice(0, index)
    if (before.some((each) => each.reference === reference)) faults.push(`${from}: ${reference} stands twice`)
    if (before.some((each) => each.structuredName === structuredName)) {
      faults.push(`${from}: ${structuredName} stands twice`)
    }
    if (before.some((each) => each.uefiDevicePath === uefiDevicePath)) {
      faults.push(`${from}: ${uefiDevicePath} stands twice`)
    }
  }
  return faults
}

/** The fault of the keys that a board names, if there is one. */
function factoryKeysFault(id: string, base64: string): string | undefined {
  if (!id.endsWith('Default') || !Object.hasOwn(secureBootVariables, id)) return 'is not a default database'
  if (!isBase64(base64)) return 'is not base64'
  return readSignatureLists(fromBase64(base64)).sound ? undefined : 'is not made of EFI signature lists'
}

/** The contradictions in an inventory, in one line each. */
function inventoryFaults({ systems, chassis }: Board): string[] {
  const faults: string[] = []
  const known = (from: string, inventory: object, ids: readonly string[]) => {
    for (const id of ids) if (!Object.hasOwn(inventory, id)) faults.push(`${from} names ${id}, which is not there`)
  }
  for (const [id, system] of Object.entries(systems)) {
    for (const [storage, { controller, drives, volumes }] of Object.entries(system.storage)) {
      for (const [volume, { raidType, drives: members }] of Object.entries(volumes)) {
        const from = `systems/${id}/storage/${storage}/volumes/${volume}`
        known(from, drives, members)
        if (!controller.raidTypes.includes(raidType))
          faults.push(`${from} is ${raidType}, which its controller does not make`)
      }
    }
  }
  for (const [id, { fans, temperatures, powerSupplies, loads = [], pcieDevices, pcieSlots }] of Object.entries(
    chassis
  )) {
    const outputs = powerSupplies.map(({ output }) => output)
    const numbers = [...fans, ...temperatures, ...outputs, ...loads].map(({ number }) => number)
    for (const [index, number] of numbers.entries()) {
      if (numbers.indexOf(number) < index) faults.push(`chassis/${id}: sensor ${number} stands twice`)
    }
    known(
      `chassis/${id}/pcieSlots`,
      pcieDevices,
      pcieSlots.flatMap(({ device }) => device ?? [])
    )
  }
  return faults
}
