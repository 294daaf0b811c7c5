import type { BoardChassis, BoardTemperature } from '#data/board'
import { type Machine, notFound } from '#runtime/contract'

/** The two thresholds of its own that a user may give a temperature (the parameter `AlertType`). */
export const alertTypes = ['Warning', 'Critical'] as const

export type AlertType = (typeof alertTypes)[number]

/** The thresholds of a temperature that are in effect, in degrees Celsius. */
export interface TemperatureLimits {
  readonly Warning?: number | undefined
  readonly Critical?: number | undefined
}

/** All that is measured in a chassis, as the machine's sensors declare it. */
export function boardSensors({ temperatures, fans, powerSupplies, loads }: BoardChassis) {
  const of = (kind: 'temperature' | 'fan' | 'power' | 'load', sensors: BoardChassis['fans']) =>
    sensors.map(({ number, name, reading, standby }) => ({ number, name, kind, on: reading, standby }))
  return [
    ...of('temperature', temperatures),
    ...of('fan', fans),
    ...of(
      'power',
      powerSupplies.map(({ output }) => output)
    ),
    ...of('load', loads)
  ]
}

/** @throws MessageError 404 for an empty bay or an unknown chassis */
export function findPowerSupply(machine: Machine, chassis: string, bay: string) {
  return machine.chassis(chassis).powerSupplies.find((each) => String(each.bay) === bay) ?? notFound()
}

/** The sum of readings; undefined if one of them is, or without any. */
export function sumOfReadings(readings: readonly (number | undefined)[]): number | undefined {
  if (readings.length === 0) return undefined
  return readings.reduce((sum, each) => (sum === undefined || each === undefined ? undefined : sum + each))
}

/** The key of a user's threshold in the table `temperatureThreshold`. */
export function thresholdKey(chassis: string, number: number, alert: AlertType): string {
  return `${chassis}/${number}/${alert}`
}

/** The status of something that is measured. */
export function sensorStatus(reading: number | undefined, health: 'OK' | 'Warning' | 'Critical' = 'OK') {
  return reading === undefined
    ? ({ State: 'UnavailableOffline', Health: null } as const)
    : ({ State: 'Enabled', Health: health } as const)
}

/** The status of a temperature, by the board's thresholds and those of a user. */
export function temperatureStatus(
  reading: number | undefined,
  { critical }: BoardTemperature,
  { Warning = critical, Critical = critical }: TemperatureLimits
) {
  if (reading === undefined) return sensorStatus(reading)
  if (reading >= Math.min(critical, Critical)) return sensorStatus(reading, 'Critical')
  return sensorStatus(reading, reading >= Warning ? 'Warning' : 'OK')
}
