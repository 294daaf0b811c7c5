import type { WatchedPart } from '../inventory.ts'
import type { PartFault } from '../sensors.ts'
import { groupInterface, groupsRoot } from './indicators.ts'
import { inventoryRoot } from './items.ts'
import type { Objects } from './objects.ts'

/** The property that is false, by its interface, and what that means. The first one counts. */
const states = [
  ['xyz.openbmc_project.State.Decorator.OperationalStatus', 'Functional', 'failed'],
  ['xyz.openbmc_project.State.Decorator.Availability', 'Available', 'unavailable']
] as const

export const stateInterfaces = states.map(([name]) => name)

/** Whether an object has failed or is unavailable, as it tells itself; undefined for neither. */
export function stateOf(properties: Objects['known'], path: string): 'failed' | 'unavailable' | undefined {
  return states.find(([name, property]) => properties(path, name)?.get(property) === false)?.[2]
}

/** The faults of parts: what their objects tell, or else their fault lamps. They stay while a daemon is away. */
export function openbmcPartFaults(objects: Objects, parts: Readonly<Record<string, WatchedPart>>) {
  let seen: Readonly<Record<string, PartFault>> = {}
  const watched = Object.entries(parts).map(([name, { object, lamp }]) => {
    return { name, path: `${inventoryRoot}/${object}`, lamp: lamp === undefined ? undefined : `${groupsRoot}/${lamp}` }
  })
  const byPath = new Map<string, (typeof watched)[number][]>()
  for (const each of watched)
    for (const path of [each.path, ...(each.lamp === undefined ? [] : [each.lamp])])
      byPath.set(path, [...(byPath.get(path) ?? []), each])
  const faultOf = ({ path, lamp }: (typeof watched)[number]): PartFault | undefined => {
    const isLit = lamp !== undefined && objects.known(lamp, groupInterface)?.get('Asserted') === true
    return stateOf(objects.known, path) ?? (isLit ? 'lamp' : undefined)
  }
  const look = (changed: Iterable<string>) => {
    const now = new Map(Object.entries(seen))
    let isOther = false
    for (const path of changed) {
      for (const part of byPath.get(path) ?? []) {
        const fault = faultOf(part)
        if (fault === now.get(part.name)) continue
        if (fault === undefined) now.delete(part.name)
        else now.set(part.name, fault)
        isOther = true
      }
    }
    if (isOther) seen = Object.fromEntries(now)
    return isOther
  }
  look(byPath.keys())
  return {
    /** By the names of parts. */
    get seen() {
      return seen
    },
    /** Takes what objects tell now. @returns whether a fault has begun or ended */
    look
  }
}
