/** ISO 8601 as in DSP0266 (days, hours, minutes, seconds), and the forms that end in T. */
export const duration = /^P(?=\d|T\d)(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/

/** Units of a duration in milliseconds, in the order of their letters: days, hours, minutes, seconds. */
const units = [86_400_000, 3_600_000, 60_000, 1000] as const

/**
 * A duration as Redfish writes it (ISO 8601 as far as DSP0266 takes it over: days, hours, minutes and seconds, whose
 * length does not depend on the calendar). A `T` with nothing behind it is let pass: `P1DT` is one day.
 *
 * @returns milliseconds; undefined for what is no duration, or too long to be counted
 */
export function parseDuration(text: string): number | undefined {
  const parts = duration.exec(text)?.slice(1)
  if (parts === undefined) return undefined
  const sum = units.reduce((so, unit, index) => so + Number(parts[index] ?? 0) * unit, 0)
  return sum <= Number.MAX_SAFE_INTEGER ? Math.round(sum) : undefined
}

/**
 * A time as Redfish writes it (RFC 3339), of a day that the calendar has.
 *
 * @returns milliseconds since 1970; undefined for what is no time
 */
export function parseTime(text: string): number | undefined {
  const form = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i
  const [, ...parts] = form.exec(text) ?? []
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0, fraction = 0] = parts.map(Number)
  const date = new Date(Date.UTC(year, month - 1, day))
  if (date.getUTCFullYear() !== year || date.getUTCDate() !== day) return undefined
  if (hours > 23 || minutes > 59 || seconds > 60) return undefined
  const offset = (Number(parts[8] ?? 0) * 60 + Number(parts[9] ?? 0)) * (parts[7] === '-' ? -60_000 : 60_000)
  return date.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000 + Math.floor((fraction || 0) * 1000) - offset
}

/** A whole number of seconds as a duration, e.g. `PT5S`. */
export function formatDuration(seconds: number): string {
  return `PT${seconds}S`
}
