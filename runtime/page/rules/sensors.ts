import type { Sensor, Thermal } from '../types.ts'
import type { Point } from './chart.ts'
import { csv } from './csv.ts'
import { severityOf } from './health.ts'

/**
 * The URI of the sensor whose reading a metric property is (DSP0268, MetricReport): its own, or that of the member of
 * `Thermal` that names it, or of the whole power of the chassis.
 *
 * @param chassis the URI of the chassis that is shown
 * @returns undefined if it is no sensor of this chassis
 */
export function sensorOf(
  property: string,
  chassis: string,
  thermal: Partial<Pick<Thermal, 'Fans' | 'Temperatures'>>
): string | undefined {
  if (!property.startsWith(chassis)) return undefined
  const inner = property.slice(chassis.length)
  if (inner === 'Power/#/PowerControl/0/PowerConsumedWatts') return `${chassis}Sensors/TotalPower/`
  const [, own, list, index] = /^(?:Sensors\/([\w.-]+)\/#|Thermal\/#\/(Temperatures|Fans)\/(\d+))\//.exec(inner) ?? []
  const number = own ?? thermal[list as 'Fans']?.[Number(index)]?.SensorNumber
  return number === undefined ? undefined : `${chassis}Sensors/${number}/`
}

/** The temperatures and fans of an older machine, which has no sensors but `Thermal`, as sensors. */
export function sensorsIn({ Temperatures = [], Fans = [] }: Partial<Thermal>): readonly Sensor[] {
  const common = (each: OldReading) => ({
    '@odata.id': each['@odata.id'] ?? each.MemberId,
    '@odata.type': '#Sensor.Sensor',
    Id: each.MemberId,
    Name: each.Name ?? each.FanName ?? each.MemberId,
    Status: each.Status,
    Thresholds: Object.fromEntries(
      Object.entries(oldThresholds).map(([name, old]) => [name, { Reading: each[old] ?? null }])
    )
  })
  return [
    ...Temperatures.map((each) => ({
      ...common(each),
      ReadingType: 'Temperature',
      ReadingUnits: 'Cel',
      Reading: each.ReadingCelsius ?? null
    })),
    ...(Fans as readonly OldReading[]).map((each) => ({
      ...common(each),
      ReadingType: each.ReadingUnits === 'RPM' ? 'Rotational' : 'Percent',
      ReadingUnits: each.ReadingUnits === 'RPM' ? 'RPM' : '%',
      Reading: each.Reading ?? null
    }))
  ] as readonly Sensor[]
}

/** A member of `Thermal`, with what only older machines have. */
type OldReading = NonNullable<Thermal['Temperatures']>[number] & {
  readonly FanName?: string | null
  readonly Reading?: number | null
  readonly ReadingUnits?: string | null
}

/** The names of sensor thresholds in `Thermal`. */
const oldThresholds = {
  LowerCaution: 'LowerThresholdNonCritical',
  LowerCritical: 'LowerThresholdCritical',
  UpperCaution: 'UpperThresholdNonCritical',
  UpperCritical: 'UpperThresholdCritical'
} as const

/** The upper limit at which a sensor is critical: its own, or that of `Thermal`. */
export function criticalLimit(
  sensor: Sensor,
  thermal: Partial<Pick<Thermal, 'Temperatures'>> = {}
): number | undefined {
  const own = sensor.Thresholds?.UpperCritical?.Reading
  const named = thermal.Temperatures?.find((each) => String(each.SensorNumber) === sensor.Id)
  return own ?? named?.UpperThresholdCritical ?? undefined
}

/** Sensors, the worst first, then those that are nearest to their limits. */
export function byNeed(sensors: readonly Sensor[], limitOf: (sensor: Sensor) => number | undefined): readonly Sensor[] {
  const health = ({ Status }: Sensor) => severityOf(Status?.Health)
  const share = (sensor: Sensor) => (sensor.Reading ?? 0) / (limitOf(sensor) || Number.POSITIVE_INFINITY)
  return [...sensors].sort((a, b) => health(b) - health(a) || share(b) - share(a))
}

/** The thresholds of a sensor as parts of a chart. @param critical its upper limit, wherever it was found */
export function thresholdsOf({ Thresholds }: Sensor, critical: number | undefined) {
  const { LowerCritical, LowerCaution, UpperCaution } = Thresholds ?? {}
  return [
    { kind: 'warn', isUpper: true, value: UpperCaution?.Reading },
    { kind: 'bad', isUpper: true, value: critical },
    { kind: 'warn', isUpper: false, value: LowerCaution?.Reading },
    { kind: 'bad', isUpper: false, value: LowerCritical?.Reading }
  ].flatMap(({ value, ...rest }) =>
    value == null ? [] : [{ ...rest, value } as { kind: 'warn' | 'bad'; isUpper: boolean; value: number }]
  )
}

interface Series {
  readonly name: string
  readonly unit: string
  readonly points: readonly Point[]
}

/** Readings as comma-separated values, a line for each. */
export function readingsAs(lines: readonly Series[]): string {
  return csv(
    ['time', 'sensor', 'reading', 'unit'],
    lines.flatMap(({ name, unit, points }) =>
      points.map(({ time, value }) => [new Date(time).toISOString(), name, value, unit])
    )
  )
}
