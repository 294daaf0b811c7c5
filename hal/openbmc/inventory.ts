import { createHash } from 'node:crypto'
import { Listeners } from '#runtime/base/listeners.ts'
import type { FoundParts, Inventory } from '../inventory.ts'
import { foundParts } from './found-parts.ts'
import { inventoryRoot, itemInterfaces } from './items.ts'
import { type BusOptions, busOptions, type Objects } from './objects.ts'
import { sensorsRoot, sensorValue } from './sensor-kinds.ts'
import { thresholdInterfaces } from './thresholds.ts'

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

export const inventoryInterfaces = [...itemInterfaces, sensorValue, ...thresholdInterfaces]

export function openbmcInventory(objects: Objects, { settleTime = 10_000 }: OpenbmcInventoryOptions): Inventory {
  const listeners = new Listeners<void>()
  let shown = ''
  let seen = ''
  let sensors = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const read = () => {
    sensors = new Set(objects.paths(sensorValue))
    return foundParts(objects)
  }
  const look = () => {
    timer = undefined
    const now = digestOf(read())
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
    if ([...changed].some((path) => path.startsWith(inventoryRoot) || isOther(path) || isGone(path))) wait()
  })
  return {
    settled: objects.settled,
    read() {
      const parts = read()
      shown = digestOf(parts)
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

/** Parts that are the same have the same: all of them as a text would stay in memory. */
const digestOf = (parts: FoundParts) => createHash('sha256').update(JSON.stringify(parts)).digest('base64')
