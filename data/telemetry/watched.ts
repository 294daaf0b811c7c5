import type { Board } from '#data/board'
import { sensorUri } from '#data/sensors'
import type { Trigger } from './records.ts'
import { type MetricProperty, metricProperties, metrics } from './telemetry.ts'

/** The properties of a board that a trigger watches: those that it names, or all of its metrics. */
export function watchedProperties(trigger: Trigger, board: Board): readonly MetricProperty[] {
  const { metrics: ids, properties, wildcards } = trigger
  const all =
    properties.length > 0
      ? properties.flatMap((uri) => matchingProperties(uri, wildcards, board))
      : metrics(board).flatMap((metric) => (ids.includes(metric.id) ? metric.properties : []))
  return [...new Set(all)]
}

/**
 * The properties that a URI means: by their own URI, or as the reading of their sensor. A segment of it that is a name in
 * braces stands for the values of the wildcard of this name (DSP0268, Triggers.Wildcards).
 */
export function matchingProperties(uri: string, wildcards: Trigger['wildcards'], board: Board): MetricProperty[] {
  const wanted = uri.split('/')
  const isMeant = (segment: string, at: number) =>
    segment === wanted[at] ||
    wildcards.some(
      ({ name, values }) => wanted[at] === `{${name}}` && (values.includes('*') || values.includes(segment))
    )
  const fits = (known: string) => {
    const segments = known.split('/')
    return segments.length === wanted.length && segments.every(isMeant)
  }
  return metricProperties(board).filter((property) => fits(property.uri) || fits(readingUri(property)))
}

/** The reading of the sensor that shows a property. */
function readingUri({ chassis, sensor }: MetricProperty): string {
  return `${sensorUri(chassis, sensor)}/#/Reading`
}
