import bounds from './bounds.json' with { type: 'json' }

const counted = ['instructions', 'erases', 'events', 'resources', 'requests'] as const

type Unit = 'B' | 'ms' | 'requests/s' | 'events/s' | 'ratio' | (typeof counted)[number]

/** One measured number. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: Unit
}

/** A figure and its limit, as in the JSON file. */
export interface Judged extends Figure {
  readonly bound?: Bound
  readonly held?: boolean
}

interface Bound {
  readonly max?: number
  readonly min?: number
}

const demanded: Readonly<Record<string, Bound>> = bounds

export function judge(figure: Figure): Judged {
  const bound = demanded[figure.name]
  if (!bound) return figure
  const { max = Number.POSITIVE_INFINITY, min = Number.NEGATIVE_INFINITY } = bound
  return { ...figure, bound, held: figure.value <= max && figure.value >= min }
}

/** The bounds that no figure answers to: something was not measured. */
export function unmeasured(figures: readonly Figure[]): string[] {
  const names = new Set(figures.map(({ name }) => name))
  return Object.keys(demanded).filter((name) => !names.has(name))
}

/** A line of the table: name, value, bound, verdict. */
export function line({ name, value, unit, bound, held }: Judged): string {
  const limit = bound?.max !== undefined ? `≤ ${show(bound.max, unit)}` : bound ? `≥ ${show(bound.min ?? 0, unit)}` : ''
  const verdict = held === undefined ? '' : held ? 'held' : 'BROKEN'
  return `${name.padEnd(68)}${show(value, unit).padStart(22)}  ${limit.padStart(24)}  ${verdict}`.trimEnd()
}

function show(value: number, unit: Unit): string {
  if (unit === 'ratio') return value.toFixed(2)
  if (unit === 'ms') return `${value.toFixed(value < 10 ? 2 : 0)} ms`
  const whole = Math.round(value).toLocaleString('en')
  return unit === 'B' ? `${whole} B` : (counted as readonly string[]).includes(unit) ? whole : `${whole}/s`
}

export function sum(values: readonly number[]): number {
  return values.reduce((one, other) => one + other, 0)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The value that the part `q` of all values, from 0 to 1, does not exceed. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN
}
