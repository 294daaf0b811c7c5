import type { BoardChassis } from '#data/board'
import { integer, number } from '#data/resource'
import {
  boardSensors,
  powerSensors,
  type SensorStatistics,
  sensorUri,
  showStatistics,
  sumOfReadings
} from '#data/sensors'
import { type Context, type Machine, notFound, object, table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** The energy that a chassis has drawn, by its id, as it was when it was stored last. */
    energy: Energy
  }

  interface Services {
    /** The energy that a chassis has drawn; undefined for a chassis without a meter. */
    energy(chassis: string): Readonly<Energy> | undefined
    /** The power of a chassis in the time for which samples are kept; undefined before the first one. */
    powerMetrics(chassis: string): PowerMetrics | undefined
  }

  interface Commands {
    /** Statistics begin anew, and energy counts from zero: of one sensor, or of all in a chassis. */
    resetMetrics: { readonly chassis: string; readonly sensor?: number | TotalSensor }
  }
}

// It is the machine's, and no setting of the controller.
table('energy', { survives: ['restart', 'restStateReset', 'factoryReset'] })

export interface Energy {
  joules: number
  /** Milliseconds since 1970. */
  since: number
}

export interface PowerMetrics {
  /** Watts. */
  readonly minimum: number
  readonly maximum: number
  readonly average: number
  /** Milliseconds from the first sample to the last. */
  readonly duration: number
}

/** The sensors that are computed from all power supplies of a chassis, by the ids of their resources. */
const totalSensors = ['TotalPower', 'TotalEnergy'] as const

export type TotalSensor = (typeof totalSensors)[number]

/** Those that a chassis has: the power supplies measure what they give. */
export function totalSensorsOf(chassis: Pick<BoardChassis, 'powerSupplies'>): readonly TotalSensor[] {
  return powerSensors(chassis).length === 0 ? [] : totalSensors
}

/**
 * A sensor of the chassis, or the name of a computed one.
 *
 * @throws MessageError 404
 */
export function findSensor({ params, machine }: Pick<Context<'ChassisId' | 'SensorId'>, 'params' | 'machine'>) {
  const chassis = machine.chassis(params.ChassisId)
  return (
    boardSensors(chassis).find(({ id }) => id === params.SensorId) ??
    totalSensorsOf(chassis).find((each) => each === params.SensorId) ??
    notFound()
  )
}

/** The power of a chassis, in watts; undefined if it is not measured or cannot be read. */
export function totalPower(machine: Machine, chassis: string): number | undefined {
  return sumOfReadings(powerSensors(machine.chassis(chassis)).map((number) => machine.reading(chassis, number)))
}

/** Kilowatt-hours, to a watt-hour. */
const kWh = ({ joules }: Readonly<Energy>) => Math.round(joules / 3600) / 1000

const source = { DataSourceUri: { type: 'string', format: 'uri-reference', nullable: true, readonly: true } } as const

/** An excerpt of such a sensor. */
export const totalExcerpt = object({ ...source, Reading: number })

/** `PowerWatts` and `EnergykWh` of EnvironmentMetrics. */
export function showTotals({ machine, energy }: Pick<Context, 'machine' | 'energy'>, chassis: string) {
  if (totalSensorsOf(machine.chassis(chassis)).length === 0) return {}
  const counted = energy(chassis)
  return {
    EnergykWh: { DataSourceUri: `${sensorUri(chassis, 'TotalEnergy')}/`, Reading: counted ? kWh(counted) : null },
    PowerWatts: { DataSourceUri: `${sensorUri(chassis, 'TotalPower')}/`, Reading: totalPower(machine, chassis) ?? null }
  }
}

/** The sensor itself. @param statistics of the power */
export function showTotal(
  { machine, energy }: Pick<Context, 'machine' | 'energy'>,
  chassis: string,
  sensor: TotalSensor,
  statistics: SensorStatistics | undefined
) {
  if (sensor === 'TotalPower')
    return {
      Name: 'Total power',
      ...showStatistics(statistics),
      Reading: totalPower(machine, chassis) ?? null,
      ...({ ReadingType: 'Power', ReadingUnits: 'W' } as const)
    }
  const counted = energy(chassis)
  return {
    Name: 'Total energy',
    Reading: counted ? kWh(counted) : null,
    ...({ ReadingType: 'EnergykWh', ReadingUnits: 'kW.h' } as const),
    ...(counted && { SensorResetTime: new Date(counted.since).toISOString() })
  }
}

/** `PowerMetrics` of Power (DSP0268). */
export const legacyPowerMetrics = object({
  AverageConsumedWatts: number,
  IntervalInMin: integer,
  MaxConsumedWatts: number,
  MinConsumedWatts: number
})

export function showPowerMetrics(metrics: PowerMetrics | undefined) {
  return (
    metrics && {
      PowerMetrics: {
        AverageConsumedWatts: metrics.average,
        IntervalInMin: Math.max(1, Math.round(metrics.duration / 60_000)),
        MaxConsumedWatts: metrics.maximum,
        MinConsumedWatts: metrics.minimum
      }
    }
  )
}
