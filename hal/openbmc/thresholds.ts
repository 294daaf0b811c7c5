import { Listeners } from '#runtime/base/listeners.ts'
import { Variant } from '../dbus/values.ts'
import { HalError } from '../errors.ts'
import { type HeldThresholds, type ThresholdName, thresholdNames } from '../sensors.ts'
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
export function heldBy(objects: Pick<Objects, 'known'>, path: string): ThresholdName[] {
  return thresholdNames.filter((name) => {
    const [interfaceOf, property] = places[name]
    return Number.isFinite(objects.known(path, interfaceOf)?.get(property))
  })
}

interface Wired {
  readonly number: number
  /** The path of the object. */
  readonly path: string
  /** What the value of the object is multiplied by. */
  readonly scale: number
}

/** The thresholds of sensors in the properties of their objects, which any program sets. */
export function openbmcThresholds(objects: Objects, name: string, wired: readonly Wired[]): HeldThresholds {
  const listeners = new Listeners<number>()
  const byNumber = new Map(wired.map((each) => [each.number, each]))
  const read = ({ path, scale }: Wired) => {
    const all = thresholdNames.flatMap((each) => {
      const [interfaceOf, property] = places[each]
      const value = objects.properties(path, interfaceOf)?.get(property)
      return typeof value === 'number' && Number.isFinite(value) ? [[each, rounded(value * scale)] as const] : []
    })
    return Object.fromEntries(all) as { readonly [N in ThresholdName]?: number }
  }
  const known = new Map<number, string>()
  const look = (each: Wired) => {
    const now = JSON.stringify(read(each))
    if (now === known.get(each.number)) return
    known.set(each.number, now)
    listeners.emit(each.number)
  }
  for (const each of wired) known.set(each.number, JSON.stringify(read(each)))
  objects.on((changed) => {
    for (const each of wired) if (changed.has(each.path)) look(each)
  })
  return {
    sensors: wired.map(({ number }) => number),
    get(sensor) {
      const each = byNumber.get(sensor)
      return each === undefined ? {} : read(each)
    },
    async set(sensor, threshold, reading) {
      const each = byNumber.get(sensor)
      if (each === undefined) throw new HalError('ENODEV', `${name}: there is no sensor ${sensor}`)
      const [interfaceOf, property] = places[threshold]
      try {
        await put(objects, each.path, interfaceOf, property, new Variant('d', reading / each.scale))
      } finally {
        look(each)
      }
    },
    on: (listener) => listeners.add(listener)
  }
}

/** Without the last digits, which are errors of the multiplication. */
const rounded = (value: number) => Number(value.toPrecision(12))
