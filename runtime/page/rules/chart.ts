/** The height of a chart in its own units. */
const height = 40

/**
 * The line of a chart 120 units wide, the newest reading at its end; and where the threshold is.
 *
 * @param most readings that fill it
 */
export function pointsOf(readings: readonly number[], limit: number | undefined, most: number) {
  const all = limit === undefined ? readings : [...readings, limit]
  const low = Math.min(0, ...all)
  const high = Math.max(low + 1, ...all) * 1.05
  const at = (value: number) => Math.round((height - ((value - low) / (high - low)) * height) * 10) / 10
  const step = 120 / Math.max(1, most - 1)
  const first = most - readings.length
  const points = readings.map((each, index) => `${Math.round((first + index) * step * 10) / 10},${at(each)}`)
  // A line of one point is not seen.
  const line = (points.length === 1 ? [...points, ...points] : points).join(' ')
  return { line, limitAt: limit === undefined ? undefined : at(limit) }
}
