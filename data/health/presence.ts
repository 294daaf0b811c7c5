import { type Board, entry } from '#data/board'
import { fanId, powerSupplyId } from '#data/sensors'

/** Whether a part is on the board, by its canonical URI. Another program may report an absent one later. */
export function isOnBoard({ systems, chassis, cables = {} }: Board, part: string): boolean {
  const [owner, id = '', kind, first = '', second = '', third = ''] = part.split('/').slice(3).map(decodeURIComponent)
  if (owner === 'Cables') return Object.hasOwn(cables, id)
  const system = owner === 'Systems' ? entry(systems, id) : undefined
  const around = owner === 'Chassis' ? entry(chassis, id) : undefined
  const storage = entry(system?.storage ?? {}, first)
  switch (kind) {
    case 'Memory':
      return Object.hasOwn(system?.memory ?? {}, first)
    case 'Processors':
      return Object.hasOwn(system?.processors ?? {}, first)
    case 'Storage':
      return storage !== undefined && (second !== 'Drives' || Object.hasOwn(storage.drives, third))
    case 'PCIeDevices':
      return Object.hasOwn(around?.pcieDevices ?? {}, first)
    case 'PowerSubsystem':
      if (first !== 'PowerSupplies') return around !== undefined
      return (around?.powerSupplies ?? []).some((each) => powerSupplyId(each) === second)
    case 'ThermalSubsystem':
      if (first !== 'Fans') return around !== undefined
      return (around?.fans ?? []).some((each) => fanId(each) === second)
    default:
      return system !== undefined || around !== undefined
  }
}
