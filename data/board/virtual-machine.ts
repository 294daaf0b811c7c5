import type { Configuration } from '#data/configuration'
import { bootVariable } from '#hal/uefi/variables.ts'
import type { Board, BoardBootOption, BoardSystem } from './board.ts'
import type { Backend } from './members.ts'

/** Boot options that need something that a virtual machine has only if it was configured. */
const needs: Partial<Record<BoardBootOption['alias'], 'disk' | 'network'>> = {
  Hdd: 'disk',
  Pxe: 'network',
  UefiHttp: 'network'
}

type Settings = { readonly [name in keyof Configuration['machine']]?: string | number | undefined }

/**
 * A board as a virtual machine of it is configured: what the configuration says of the machine stands in place of what
 * the board's file does, and its inventory follows. Its boot options are numbered one after another, as its firmware
 * does when it starts for the first time. Systems that are no virtual machines stay as they are.
 */
export function withMachine(board: Board, settings: Settings): Board {
  const systems = Object.entries(board.systems).map(([id, system]) => [id, configured(id, system, settings)] as const)
  return { ...board, systems: Object.fromEntries(systems) }
}

function configured(id: string, system: BoardSystem, settings: Settings): BoardSystem {
  if (system.power.type !== 'qemu') return system
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== '' && value !== 0))
  const created = given.diskSize === undefined ? {} : { disk: `disk-${id}.img` }
  const power: Backend = { ...system.power, ...created, ...given }
  const has = { disk: power.disk !== undefined, network: (power.network ?? 'none') !== 'none' }
  const capacityMiB = Number(power.memory ?? 512)
  const cores = Number(power.cpus ?? 1)
  const capacity = power.diskSize === undefined ? {} : { capacityBytes: Number(power.diskSize) * 1_048_576 }
  const { storage, memory, processors, ethernetInterfaces, bootOptions = [], uuid, serialNumber } = system
  const { firmware, drives, ...own } = system
  const [mac] = Object.values(ethernetInterfaces).map((each) => each.mac)
  return {
    ...own,
    // Code that the configuration names is its owner's, and no update writes it.
    ...(firmware !== undefined && given.firmware === undefined && { firmware }),
    ...(has.disk && drives && { drives }),
    storage: has.disk
      ? mapped(storage, (each) => ({ ...each, drives: mapped(each.drives, (drive) => ({ ...drive, ...capacity })) }))
      : {},
    power: {
      ...power,
      ...(uuid !== undefined && { uuid }),
      ...(serialNumber !== undefined && { serialNumber }),
      ...(mac !== undefined && { mac })
    },
    memory: mapped(memory, (each) => ({ ...each, capacityMiB })),
    processors: mapped(processors, (each) => ({ ...each, cores, threads: cores })),
    ethernetInterfaces: has.network ? ethernetInterfaces : {},
    bootOptions: bootOptions
      .filter(({ alias }) => needs[alias] === undefined || has[needs[alias]])
      .map((each, index) => ({ ...each, reference: bootVariable(index).name }))
  }
}

function mapped<T>(things: { readonly [id: string]: T }, change: (thing: T) => T): { readonly [id: string]: T } {
  return Object.fromEntries(Object.entries(things).map(([id, thing]) => [id, change(thing)]))
}
