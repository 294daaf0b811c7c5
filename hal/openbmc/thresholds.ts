import { Listeners } from '#runtime/base/listeners.ts'
import { Variant } from '../dbus/values.ts'
import { HalError } from '../errors.ts'
import { type HeldThresholds, type Sensor, type ThresholdName, thresholdNames } from '../sensors.ts'
import type { Objects } from './objects.ts'
import { put } from './shared-state.ts'

const prefix = 'xyz.openbmc_project.Sensor.Threshold'

/** The interface and the property of each. */
const places = {
  LowerFatal: [`${prefix}.HardShutdown`, 'HardShutdownLow'],
  LowerCritical: [`${prefix}.Critical`, 'CriticalLow'],
  LowerCaution: [`${prefix}.Warning`, 'WarningLow'],
  UpperCaution: [`${prefix}.Warning`, 'WarningHigh'],
  UpperCritical: [`${prefix}.Critical`, 'CriticalHigh'],
  UpperFatal: [`${prefix}.HardShutdown`, 'HardShutdownHigh']
} as const satisfies { readonly [N in ThresholdName]: readonly [string, string] }

export const thresholdInterfaces = ['HardShutdown', 'Critical', 'Warning'].map((each) => `${prefix}.${each}`)

/** The thresholds that the object of a sensor has; those that are not a number are not in use. */
export function heldBy(objects: Pick<Objects, 'known'>, path: string): readonly ThresholdName[] {
  const held = thresholdNames.filter((name) => {
    const [interfaceOf, property] = places[name]
    return Number.isFinite(objects.known(path, interfaceOf)?.get(property))
  })
  const known = combinations.get(held.join()) ?? held
  combinations.set(held.join(), known)
  return known
}

/** Of thresholds, by their names: the same list for all sensors that have the same. */
const combinations = new Map<string, readonly ThresholdName[]>()

/** A sensor of a board, and its object. */
export interface Wired {
  readonly sensor: Sensor
  /** The path of the object. */
  readonly path: string
  /** For a fan in revolutions per minute: those at full speed. */
  readonly most: number | undefined
  /** The thresholds that were seen last, as JSON. */
  thresholds: string
  /** Another sensor of the same object. */
  readonly next?: Wired
}

/**
 * The thresholds of sensors in the properties of their objects, which any program sets.
 *
 * @param wired the sensors by their numbers, and by the paths of their objects
 */
export function openbmcThresholds(
  objects: Objects,
  name: string,
  wired: { readonly byNumber: ReadonlyMap<number, Wired>; readonly byPath: ReadonlyMap<string, Wired> }
): HeldThresholds {
  const listeners = new Listeners<number>()
  const holds = ({ sensor: { held = [] } }: Wired) => held.length > 0
  const read = ({ path, most }: Wired) => {
    const all = thresholdNames.flatMap((each) => {
      const [interfaceOf, property] = places[each]
      const value = objects.properties(path, interfaceOf)?.get(property)
      return typeof value === 'number' && Number.isFinite(value) ? [[each, shown(value, most)] as const] : []
    })
    return Object.fromEntries(all) as { readonly [N in ThresholdName]?: number }
  }
  const look = (each: Wired) => {
    const now = JSON.stringify(read(each))
    if (now === each.thresholds) return
    each.thresholds = now
    listeners.emit(each.sensor.number)
  }
  const held = [...wired.byNumber.values()].filter(holds)
  const texts = new Map<string, string>()
  for (const each of held) {
    const text = JSON.stringify(read(each))
    each.thresholds = texts.get(text) ?? text
    texts.set(each.thresholds, each.thresholds)
  }
  objects.on((changed) => {
    for (const path of changed) {
      for (let each = wired.byPath.get(path); each !== undefined; each = each.next) if (holds(each)) look(each)
    }
  })
  return {
    sensors: held.map(({ sensor }) => sensor.number),
    get(number) {
      const each = wired.byNumber.get(number)
      return each !== undefined && holds(each) ? read(each) : undefined
    },
    async set(number, threshold, reading) {
      const each = wired.byNumber.get(number)
      if (each === undefined) throw new HalError('ENODEV', `${name}: there is no sensor ${number}`)
      const [interfaceOf, property] = places[threshold]
      const value = each.most === undefined ? reading : (reading * each.most) / 100
      try {
        await put(objects, each.path, interfaceOf, property, new Variant('d', value))
      } finally {
        look(each)
      }
    },
    on: (listener) => listeners.add(listener)
  }
}

/** Without the last digits, which are errors of the multiplication. */
const shown = (value: number, most: number | undefined) =>
  Number((most === undefined ? value : (value * 100) / most).toPrecision(12))
