import type {} from '#runtime/contract'

declare module '#runtime/contract' {
  interface Services {
    /** The statistics of a sensor since they were reset; undefined before its first reading. */
    sensorStatistics(chassis: string, number: number | 'TotalPower'): SensorStatistics | undefined
  }
}

/** Times are milliseconds since 1970. */
export interface SensorStatistics {
  readonly since: number
  readonly highest: number
  readonly highestAt: number
  readonly lowest: number
  readonly lowestAt: number
  readonly average: number
}

const number = { type: 'number', nullable: true, readonly: true } as const
const time = { type: 'string', format: 'date-time', nullable: true, readonly: true } as const

/** The properties of a sensor with the readings that it has had. */
export const statistics = {
  AverageReading: number,
  LowestReading: number,
  LowestReadingTime: time,
  PeakReading: number,
  PeakReadingTime: time,
  SensorResetTime: time
} as const

export function showStatistics(of: SensorStatistics | undefined) {
  const shown = (at: number) => new Date(at).toISOString()
  return (
    of && {
      AverageReading: Math.round(of.average * 100) / 100,
      LowestReading: of.lowest,
      LowestReadingTime: shown(of.lowestAt),
      PeakReading: of.highest,
      PeakReadingTime: shown(of.highestAt),
      SensorResetTime: shown(of.since)
    }
  )
}
