/** A time in the reader's zone, as people of a language write it; empty for what is no time. */
export function timeText(time: string | null | undefined, language: string): string {
  const date = new Date(time ?? '')
  return Number.isNaN(date.getTime()) ? '' : formatOf(language, undefined).format(date)
}

/** The same in the zone of the controller, which is so far from UTC: `+01:00`. */
export function timeAt(time: string, offset: string, language: string): string {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? []
  const shift = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1)
  const date = new Date(new Date(time).getTime() + shift * 60_000)
  return `${formatOf(language, 'UTC').format(date)} (UTC${shift === 0 ? '' : offset})`
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Formats are made once: each takes longer than to write hundreds of times with it. */
function formatOf(language: string, timeZone: string | undefined): Intl.DateTimeFormat {
  const key = `${language} ${timeZone}`
  let format = formats.get(key)
  if (format === undefined) {
    const style = { dateStyle: 'short', timeStyle: 'medium' } as const
    format = new Intl.DateTimeFormat(language, { ...style, ...(timeZone !== undefined && { timeZone }) })
    formats.set(key, format)
  }
  return format
}

/** How far the zones of the world are from UTC, as `+05:45`. */
export const offsets: readonly string[] = [
  ...Array.from({ length: 27 }, (_, index) => (index - 12) * 60),
  ...[-570, -210, 210, 270, 330, 345, 390, 525, 570, 630, 765]
]
  .sort((a, b) => a - b)
  .map((minutes) => {
    const part = (value: number) => String(Math.floor(value)).padStart(2, '0')
    return `${minutes < 0 ? '-' : '+'}${part(Math.abs(minutes) / 60)}:${part(Math.abs(minutes) % 60)}`
  })

/** Milliseconds in words: the largest unit of which there is one. */
export function spanText(milliseconds: number, language: string): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1000]
  ] as const
  const [unit, length] = units.find((each) => Math.abs(milliseconds) >= each[1]) ?? units[3]
  const value = Math.round(Math.abs(milliseconds) / length)
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}
