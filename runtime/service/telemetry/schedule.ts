import type { MetricReportDefinition } from '#data/telemetry'
import { parseDuration, parseTime } from '#runtime/base/duration.ts'

/**
 * When a definition's next report is due, in milliseconds since 1970: the first time after `now` that is a whole number
 * of intervals from its start, so that neither a late report nor a restart moves those to come. Without a start the
 * intervals are counted from 1970.
 *
 * @returns undefined if no report is due at any time
 */
export function nextDue({ type, enabled, interval, start }: MetricReportDefinition, now: number): number | undefined {
  if (type !== 'Periodic' || !enabled || interval === null) return undefined
  const period = parseDuration(interval)
  const from = start === null ? 0 : parseTime(start)
  if (period === undefined || period <= 0 || from === undefined) return undefined
  return from > now ? from : from + (Math.floor((now - from) / period) + 1) * period
}
