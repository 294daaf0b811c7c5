import { Listeners } from '#runtime/base/listeners.ts'
import { Variant } from '../dbus/values.ts'
import { HalError } from '../errors.ts'
import type { Indicator, IndicatorState } from '../indicators.ts'
import { type BusOptions, busOptions, type Objects } from './objects.ts'

/** The back end `openbmc` of a lamp: groups of LEDs, of which the LED manager knows how each shows. */
export interface OpenbmcIndicatorOptions extends BusOptions {
  /** The groups by the state that they show. */
  readonly groups?: { readonly lit?: string; readonly blinking?: string }
}

const group = { type: 'string', pattern: '^[A-Za-z0-9_]+$' } as const

/** {@link OpenbmcIndicatorOptions} in a board file. */
export const openbmcIndicatorOptions = {
  type: 'object',
  required: ['groups'],
  properties: {
    groups: {
      type: 'object',
      properties: {
        lit: { ...group, description: 'The group that lights the lamp, such as enclosure_identify' },
        blinking: { ...group, description: 'The group that has it blink' }
      },
      description: 'Groups of LEDs, below /xyz/openbmc_project/led/groups'
    },
    ...busOptions
  }
} as const

export const groupInterface = 'xyz.openbmc_project.Led.Group'
export const groupsRoot = '/xyz/openbmc_project/led/groups'

export const indicatorInterfaces = [groupInterface]

/**
 * A lamp is in the state of the group that is asserted. Without its group, a state is shown by the other one: many machines
 * have none that blinks.
 */
export function openbmcIndicator(objects: Objects, { name, groups = {} }: OpenbmcIndicatorOptions): Indicator {
  const { lit, blinking } = groups
  const shown: readonly (readonly [IndicatorState, string])[] = [
    ...(blinking === undefined ? [] : [['Blinking', `${groupsRoot}/${blinking}`] as const]),
    ...(lit === undefined ? [] : [['Lit', `${groupsRoot}/${lit}`] as const])
  ]
  if (shown.length === 0) throw new HalError('EINVAL', `${name}: it needs a group of LEDs`)
  const listeners = new Listeners<IndicatorState>()
  const isAsserted = (path: string) => objects.properties(path, groupInterface)?.get('Asserted') === true
  const read = (): IndicatorState => shown.find(([, path]) => isAsserted(path))?.[0] ?? 'Off'
  let state = read()
  const look = () => {
    const now = read()
    if (now === state) return
    state = now
    listeners.emit(state)
  }
  objects.on((changed) => {
    if (shown.some(([, path]) => changed.has(path))) look()
  })

  return {
    get state() {
      return state
    },
    /** Resolves when the LED manager shows it. */
    async set(wanted) {
      const there = shown.filter(([, each]) => objects.properties(each, groupInterface) !== undefined)
      // Without any, the failure names one.
      const usable = there.length > 0 ? there : shown
      const [, path] = usable.find(([each]) => each === wanted) ?? usable[0]!
      const asserted = (each: string) => wanted !== 'Off' && each === path
      // The group that goes on comes first, so that the lamp is not dark in between.
      const order = [...usable].sort(([, one], [, other]) => Number(asserted(other)) - Number(asserted(one)))
      for (const [, each] of order) {
        await objects.set(each, groupInterface, 'Asserted', new Variant('b', asserted(each)))
        await objects.until(each, () => isAsserted(each) === asserted(each))
      }
      look()
    },
    on: (listener) => listeners.add(listener),
    async close() {
      listeners.clear()
      objects.close()
    }
  }
}
