import type { BoardChassis, BoardPowerSupply, ThresholdName } from '#data/board'
import type { Sensor } from '#hal/sensors.ts'
import { type Machine, notFound } from '#runtime/contract'
import { fanId, fanUri, powerSupplyId, powerSupplyUri, sensorId, sensorUri } from './uris.ts'

/** The two thresholds of its own that a user may give a temperature (the parameter `AlertType`). */
export const alertTypes = ['Warning', 'Critical'] as const

export type AlertType = (typeof alertTypes)[number]

export type BoardSensor = ReturnType<typeof sensorsOf>[number]

/** All that is measured in a chassis, as the machine's sensors declare it, with the thresholds of the board. */
export function boardSensors(chassis: BoardChassis): readonly BoardSensor[] {
  const known = declared.get(chassis.temperatures)
  const isKnown = known !== undefined && parts.every((part) => known.chassis[part] === chassis[part])
  const sensors = isKnown ? known.sensors : sensorsOf(chassis)
  if (!isKnown) declared.set(chassis.temperatures, { chassis: declarationOf(chassis), sensors })
  return sensors
}

/** The chassis of a fleet differ, but what is measured in them is declared once. */
const declared = new WeakMap<object, { chassis: Declaration; sensors: readonly BoardSensor[] }>()

const parts = ['fans', 'powerSupplies', 'loads', 'measurements'] as const

type Declaration = Pick<BoardChassis, 'temperatures' | (typeof parts)[number]>

/** Without the rest of the chassis, which is that of one machine. */
function declarationOf({ temperatures, fans, powerSupplies, loads, measurements }: BoardChassis): Declaration {
  return { temperatures, fans, powerSupplies, loads, measurements }
}

function sensorsOf({ temperatures, fans, powerSupplies, loads, measurements = [] }: Declaration) {
  return [
    ...temperatures.map((each) =>
      sensor('temperature', each, { UpperCritical: each.critical, UpperFatal: each.fatal })
    ),
    ...fans.map((each) => ({
      ...sensor('fan', each, { LowerCritical: standstill, ...slow(each.standby / 2) }),
      part: `fans/${fanId(each)}`
    })),
    ...powerSupplies.flatMap(({ output, ...supply }) =>
      output === undefined ? [] : [{ ...sensor('power', output), part: `powerSupplies/${powerSupplyId(supply)}` }]
    ),
    ...loads.map((each) => sensor('load', each)),
    ...measurements.map(({ kind, minimum, maximum, ...each }) => sensor(kind, each, none, { minimum, maximum }))
  ]
}

type Limits = { readonly [N in ThresholdName]?: number | undefined }

const none: Limits = {}

function sensor(
  kind: Sensor['kind'],
  { number, id, name, reading, standby, thresholds = {} }: BoardChassis['fans'][number],
  usual: Limits = none,
  range: { readonly minimum?: number | undefined; readonly maximum?: number | undefined } = {}
) {
  const { hysteresis, dwell, held, writable = held !== undefined && held.length > 0, ...own } = thresholds
  // A machine can have a thousand sensors, most without any of these: what is the same is shared, what is absent left out.
  const limits = Object.keys(own).length === 0 ? usual : { ...usual, ...own }
  return {
    number,
    id: sensorId({ id, number }),
    name,
    kind,
    on: reading,
    standby,
    limits,
    held,
    writable,
    ...(hysteresis !== undefined && { hysteresis }),
    ...(dwell !== undefined && { dwell }),
    ...range
  }
}

/** The speed of a fan that stands still, in percent. */
const standstill = 1

const slow = (percent: number) => (percent > standstill ? { LowerCaution: percent } : {})

/**
 * The part that a sensor measures, by its canonical URI: a fan or a power supply. Others stand for themselves.
 *
 * @param id of the chassis
 */
export function measuredPart(id: string, { fans, powerSupplies }: BoardChassis, sensor: BoardSensor): string {
  const { number } = sensor
  const fan = fans.find((each) => each.number === number)
  if (fan !== undefined) return fanUri(id, fan)
  const supply = powerSupplies.find(({ output }) => output?.number === number)
  return supply === undefined ? sensorUri(id, sensor.id) : powerSupplyUri(id, supply)
}

/** @throws MessageError 404 for an empty bay or an unknown chassis */
export function findPowerSupply(machine: Machine, chassis: string, id: string) {
  return machine.chassis(chassis).powerSupplies.find((each) => powerSupplyId(each) === id) ?? notFound()
}

export const powerSupplyName = ({ name, bay }: BoardPowerSupply) => name ?? `Power supply ${bay}`

/** Its state is that of its sensor, if it has one. */
export function powerSupplyState(machine: Machine, chassis: string, { output }: BoardPowerSupply) {
  return output === undefined ? {} : sensorState(machine.reading(chassis, output.number))
}

/**
 * The sensors whose sum is the power of a chassis: those of all of its power supplies. None if one is not measured, as the
 * sum would be too low.
 */
export function powerSensors({ powerSupplies }: Pick<BoardChassis, 'powerSupplies'>): readonly number[] {
  const measured = powerSupplies.flatMap(({ output }) => output?.number ?? [])
  return measured.length === powerSupplies.length ? measured : []
}

/** The sum of readings; undefined if one of them is, or without any. */
export function sumOfReadings(readings: readonly (number | undefined)[]): number | undefined {
  if (readings.length === 0) return undefined
  let sum = 0
  for (const each of readings) {
    if (each === undefined) return undefined
    sum += each
  }
  return sum
}

/** The key of a user's threshold in the table `temperatureThreshold`. */
export function thresholdKey(chassis: string, number: number, alert: AlertType): string {
  return `${chassis}/${number}/${alert}`
}

/** The state of something that is measured, for its status: it cannot be reached if it cannot be read. */
export function sensorState(reading: number | undefined) {
  return { State: reading === undefined ? 'UnavailableOffline' : 'Enabled' } as const
}
