import type { BoardChassis, ThresholdName } from '#data/board'
import type { Sensor } from '#hal/sensors.ts'
import { type Machine, notFound } from '#runtime/contract'
import { fanUri, powerSupplyUri, sensorId, sensorUri } from './uris.ts'

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
      part: `fans/${each.number}`
    })),
    ...powerSupplies.map(({ bay, output }) => ({ ...sensor('power', output), part: `powerSupplies/${bay}` })),
    ...loads.map((each) => sensor('load', each)),
    ...measurements.map(({ kind, minimum, maximum, ...each }) => sensor(kind, each, {}, { minimum, maximum }))
  ]
}

type Limits = { readonly [N in ThresholdName]?: number | undefined }

function sensor(
  kind: Sensor['kind'],
  { number, id, name, reading, standby, thresholds = {} }: BoardChassis['fans'][number],
  usual: Limits = {},
  range: { readonly minimum?: number | undefined; readonly maximum?: number | undefined } = {}
) {
  const { hysteresis, dwell, held, writable = held !== undefined && held.length > 0, ...own } = thresholds
  const limits: Limits = { ...usual, ...own }
  return {
    number,
    id: sensorId({ id, number }),
    name,
    kind,
    on: reading,
    standby,
    limits,
    hysteresis,
    dwell,
    held,
    writable,
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
  if (fans.some((fan) => fan.number === number)) return fanUri(id, number)
  const supply = powerSupplies.find(({ output }) => output.number === number)
  return supply === undefined ? sensorUri(id, sensor.id) : powerSupplyUri(id, supply.bay)
}

/** @throws MessageError 404 for an empty bay or an unknown chassis */
export function findPowerSupply(machine: Machine, chassis: string, bay: string) {
  return machine.chassis(chassis).powerSupplies.find((each) => String(each.bay) === bay) ?? notFound()
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
