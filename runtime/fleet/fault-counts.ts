import { faultNames } from '#data/fleet'
import type { Controller } from './controller.ts'
import type { Roster } from './roster.ts'

/** Counts the controllers of each group that have a fault. After the first count it looks only at those that have changed. */
export class FaultCounts {
  /** Of the controllers that have some. */
  readonly #names = new Map<Controller, readonly string[]>()
  readonly #changed: Set<Controller>

  constructor(roster: Roster) {
    this.#changed = new Set(roster)
    roster.onChanged((controller) => this.#changed.add(controller))
  }

  /** The number of controllers by group and fault, sorted. */
  counts(): readonly { readonly group: string; readonly fault: string; readonly controllers: number }[] {
    for (const controller of this.#changed) this.#look(controller)
    this.#changed.clear()
    const counts = new Map<string, number>()
    for (const [{ group }, names] of this.#names)
      for (const name of names) counts.set(`${group} ${name}`, (counts.get(`${group} ${name}`) ?? 0) + 1)
    return [...counts].sort().map(([key, controllers]) => {
      const [group = '', fault = ''] = key.split(' ')
      return { group, fault, controllers }
    })
  }

  #look(controller: Controller): void {
    const names = faultNames(controller.faults.rules, controller.deviceFaults)
    if (names.length === 0) this.#names.delete(controller)
    else this.#names.set(controller, names)
  }
}
