/** A value at a time, in milliseconds since 1970; null where nothing was measured. */
export interface Point {
  readonly time: number
  readonly value: number | null
  /** The extremes of the step that the value is the average of. */
  readonly least?: number
  readonly greatest?: number
}

/** The axes of a chart: time from left to right, values from below. */
export interface Scale {
  readonly from: number
  readonly to: number
  readonly low: number
  readonly high: number
}

/** The steps of a range of a sensor's history as the service has it. */
interface Steps {
  readonly Average?: readonly (number | null)[] | null | undefined
  readonly Maximum?: readonly (number | null)[] | null | undefined
  readonly Minimum?: readonly (number | null)[] | null | undefined
}

/** The points of a history: each in the middle of its step. @param step milliseconds */
export function historyPoints(steps: Steps | undefined, end: number, step: number): readonly Point[] {
  const averages = steps?.Average ?? []
  return averages.map((value, index) => {
    const [least, greatest] = [steps?.Minimum?.[index], steps?.Maximum?.[index]]
    return {
      time: end - (averages.length - index - 0.5) * step,
      value,
      ...(least != null && greatest != null && { least, greatest })
    }
  })
}

/** Earlier points, then later ones that are newer than all of them, as far as they are in a range. */
export function joined(earlier: readonly Point[], later: readonly Point[], from: number): readonly Point[] {
  const last = earlier.at(-1)?.time ?? Number.NEGATIVE_INFINITY
  return [...earlier, ...later.filter(({ time }) => time > last)].filter(({ time }) => time >= from)
}

/**
 * The scale that shows points, with some room, and the limits that are near to them.
 *
 * @param limits thresholds; one that is far from all values would make a flat line of them
 */
export function scaleOf(points: readonly Point[], limits: readonly number[], from: number, to: number): Scale {
  const values = points.flatMap(({ value, least, greatest }) =>
    value === null ? [] : [value, least ?? value, greatest ?? value]
  )
  const [lowest, highest] = values.length === 0 ? [0, 1] : [Math.min(...values), Math.max(...values)]
  const near = Math.max(highest - lowest, Math.abs(highest), 1)
  const shown = [lowest, highest, ...limits.filter((each) => each > lowest - near && each < highest + near)]
  const [low, high] = [Math.min(...shown), Math.max(...shown)]
  const room = Math.max(high - low, 1) * 0.08
  return { from, to, low: low >= 0 ? Math.max(0, low - room) : low - room, high: high + room }
}

/** Round numbers within a scale, `most` of them at most. */
export function ticks(low: number, high: number, most: number): readonly number[] {
  const least = (high - low) / most
  const power = 10 ** Math.floor(Math.log10(least))
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least) ?? 10 * power
  const first = Math.ceil(low / step)
  return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, index) =>
    Number(((first + index) * step).toFixed(6))
  )
}

const minute = 60_000

/** Round times within a range, `most` of them at most; days and hours begin where the clock of the reader has them. */
export function timeTicks(from: number, to: number, most: number): readonly number[] {
  const least = (to - from) / most
  const steps = [1, 2, 5, 10, 15, 30, 60, 180, 360, 720, 1440].map((each) => each * minute)
  const step = steps.find((each) => each >= least) ?? 1440 * minute
  const offset = new Date(from).getTimezoneOffset() * minute
  const first = Math.ceil((from - offset) / step) * step + offset
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, index) => first + index * step)
}

/** Where a point of a scale is in a drawing, in its units to a tenth. */
export function placeIn({ from, to, low, high }: Scale, width: number, height: number) {
  const tenth = (value: number) => Math.round(value * 10) / 10
  return {
    x: (time: number) => tenth(((time - from) / Math.max(1, to - from)) * width),
    y: (value: number) => tenth(height - ((value - low) / (high - low)) * height)
  }
}

/** The path of a line through points (SVG 2, path data); it ends where nothing was measured. */
export function linePath(points: readonly Point[], place: ReturnType<typeof placeIn>): string {
  let isDrawn = false
  return points
    .map(({ time, value }) => {
      const command = isDrawn ? 'L' : 'M'
      isDrawn = value !== null
      return value === null ? '' : `${command}${place.x(time)} ${place.y(value)}`
    })
    .join('')
}

/** The path around the extremes of points. */
export function extremesPath(points: readonly Point[], place: ReturnType<typeof placeIn>): string {
  const known = points.filter((each) => each.least !== undefined && each.value !== null)
  if (known.length < 2) return ''
  const above = known.map(({ time, greatest = 0 }) => `${place.x(time)} ${place.y(greatest)}`)
  const below = known.map(({ time, least = 0 }) => `${place.x(time)} ${place.y(least)}`).reverse()
  return `M${[...above, ...below].join('L')}Z`
}

/** The point that is nearest to a time. */
export function nearest(points: readonly Point[], time: number): Point | undefined {
  return points.reduce<Point | undefined>(
    (best, each) => (best && Math.abs(best.time - time) <= Math.abs(each.time - time) ? best : each),
    undefined
  )
}
