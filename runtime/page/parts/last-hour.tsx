import { joined, type Point } from '../rules/chart.ts'
import { seenOf } from '../service/readings.ts'
import type { Sensor } from '../types.ts'
import { Sparkline } from './chart.tsx'

const hour = 3_600_000

interface Props {
  readonly of: Sensor
  /** The hour of each sensor before the page was opened. */
  readonly history: (sensor: Sensor) => readonly Point[]
  /** The end of the hour; without it the last reading. */
  readonly to?: number
}

/** The last hour of a sensor as a small line. */
export function LastHour({ of, history, ...props }: Props) {
  const seen = seenOf(of)
  const to = props.to ?? seen.at(-1)?.time
  if (to === undefined) return null
  return <Sparkline points={joined(history(of), seen, to - hour)} from={to - hour} to={to} />
}
