import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import {
  extremesPath,
  linePath,
  nearest,
  type Point,
  placeIn,
  type Scale,
  scaleOf,
  ticks,
  timeTicks
} from '../rules/chart.ts'
import { isolated, locale, t } from '../words/index.ts'

/** A line of a chart. */
interface Line {
  readonly name: string
  readonly unit: string
  readonly points: readonly Point[]
}

/** A range of values that is marked, from a threshold on. */
interface Band {
  readonly kind: 'warn' | 'bad'
  /** Upwards from the value, or downwards. */
  readonly isUpper: boolean
  readonly value: number
}

interface Props {
  readonly lines: readonly Line[]
  readonly bands: readonly Band[]
  readonly from: number
  readonly to: number
}

const [height, left, below] = [240, 48, 20]

/** Values over time with their axes; a slider, or the pointer, reads them at a time. */
export function Chart({ lines, bands, from, to }: Props) {
  const element = useRef<SVGSVGElement>(null)
  const [width, setWidth] = useState(800)
  const [at, setAt] = useState<number | undefined>()
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, Math.round(entry!.contentRect.width))))
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [])
  const scale = scaleOf(
    lines.flatMap(({ points }) => points),
    bands.map(({ value }) => value),
    from,
    to
  )
  const time = at === undefined ? undefined : Math.min(to, Math.max(from, at))
  const read = ({ offsetX }: PointerEvent) => setAt(from + ((offsetX - left) / (width - left)) * (to - from))
  return (
    <figure class="graph">
      <svg
        ref={element}
        height={height + below}
        role="img"
        aria-label={lines.map(summary).join('; ')}
        onPointerMove={read}
        onPointerLeave={() => setAt(undefined)}
      >
        <Drawing {...{ lines, bands, scale, time }} width={width - left} />
      </svg>
      <input
        type="range"
        aria-label={t('time')}
        aria-valuetext={time === undefined ? '' : reading(lines, time)}
        min={from}
        max={to}
        step={Math.max(1, (to - from) / 60)}
        value={time ?? to}
        onInput={({ currentTarget }) => setAt(Number(currentTarget.value))}
      />
      <figcaption>{time === undefined ? lines.map(summary).join(' · ') : reading(lines, time)}</figcaption>
    </figure>
  )
}

function Drawing(props: {
  readonly lines: readonly Line[]
  readonly bands: readonly Band[]
  readonly scale: Scale
  readonly time: number | undefined
  readonly width: number
}) {
  const { lines, bands, scale, time, width } = props
  const place = placeIn(scale, width, height)
  const clamped = (value: number) => Math.min(height, Math.max(0, place.y(value)))
  return (
    <g transform={`translate(${left} 0)`}>
      {bands.map(({ kind, isUpper, value }) => {
        const y = clamped(value)
        const [top, tall] = isUpper ? [0, y] : [y, height - y]
        return <rect key={`${kind}${value}`} class={kind} y={top} width={width} height={tall} />
      })}
      {ticks(scale.low, scale.high, 6).map((value) => (
        <g key={value}>
          <line class="grid" x2={width} y1={place.y(value)} y2={place.y(value)} />
          <text x={-6} y={place.y(value) + 4} text-anchor="end">
            {value.toLocaleString(locale.value)}
          </text>
        </g>
      ))}
      {timeTicks(scale.from, scale.to, Math.max(2, Math.floor(width / 90))).map((each) => (
        <text key={each} x={place.x(each)} y={height + 15} text-anchor={place.x(each) > width - 30 ? 'end' : 'middle'}>
          {clock(each)}
        </text>
      ))}
      {lines.map(({ name, points }, index) => (
        <g key={name} class={`line line-${index % 4}`}>
          <path class="extremes" d={extremesPath(points, place)} />
          <path d={linePath(points, place)} />
        </g>
      ))}
      {time !== undefined && <line class="cursor" x1={place.x(time)} x2={place.x(time)} y2={height} />}
    </g>
  )
}

const clock = (time: number) => new Date(time).toLocaleTimeString(locale.value, { hour: '2-digit', minute: '2-digit' })

const shown = (value: number) => value.toLocaleString(locale.value, { maximumFractionDigits: 1 })

/** The highest value of a line with its time, the lowest, and the average. */
function summary({ name, unit, points }: Line): string {
  const known = points.filter((each): each is Point & { value: number } => each.value !== null)
  if (known.length === 0) return name
  const top = known.reduce((so, each) => ((each.greatest ?? each.value) > (so.greatest ?? so.value) ? each : so))
  const lowest = Math.min(...known.map(({ value, least }) => least ?? value))
  const average = known.reduce((sum, { value }) => sum + value, 0) / known.length
  return t(
    'chartSummary',
    name,
    `${shown(top.greatest ?? top.value)} ${unit}`,
    clock(top.time),
    `${shown(lowest)} ${unit}`,
    `${shown(average)} ${unit}`
  )
}

/** The values of all lines at a time. */
function reading(lines: readonly Line[], time: number): string {
  const values = lines.map(({ name, unit, points }) => {
    const value = nearest(points, time)?.value
    return isolated(`${name} ${value == null ? '–' : `${shown(value)} ${unit}`}`)
  })
  return `${isolated(clock(time))} · ${values.join(' · ')}`
}

/** A small line without axes. */
export function Sparkline({
  points,
  from,
  to
}: {
  readonly points: readonly Point[]
  readonly from: number
  readonly to: number
}) {
  const place = placeIn(scaleOf(points, [], from, to), 120, 28)
  return (
    <svg class="spark" viewBox="0 0 120 28" preserveAspectRatio="none" aria-hidden="true">
      <path d={linePath(points, place)} />
    </svg>
  )
}
