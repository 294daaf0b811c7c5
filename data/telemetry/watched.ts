import type { Board } from '#data/board'
import { sensorUri } from '#data/sensors'
import type { Trigger } from './records.ts'
import { type MetricProperty, metricProperties, metrics } from './telemetry.ts'

/** The properties of a board that a trigger watches. */
export function watchedProperties(trigger: Trigger, board: Board): readonly MetricProperty[] {
  return [...new Set(meantProperties(trigger, board).flat())]
}

/** The properties that each URI of a trigger means; of a trigger without URIs, those of each of its metrics. */
export function meantProperties(trigger: Trigger, board: Board): readonly (readonly MetricProperty[])[] {
  const { metrics: ids, properties, wildcards } = trigger
  if (properties.length === 0) {
    return ids.map((id) => metrics(board).find((metric) => metric.id === id)?.properties ?? [])
  }
  // A machine may have a thousand of them: they are taken apart once for all URIs.
  const known = metricProperties(board).map((property) => ({
    property,
    uris: [property.uri, readingUri(property)].map((uri) => uri.split('/'))
  }))
  return properties.map((uri) => {
    const wanted = uri.split('/').map((segment) => allowed(segment, wildcards))
    const fits = (segments: readonly string[]) =>
      segments.length === wanted.length && segments.every((segment, at) => wanted[at]?.has(segment) ?? true)
    return known.flatMap(({ property, uris }) => (uris.some(fits) ? [property] : []))
  })
}

/**
 * The values that match a segment of a URI: itself, or for a name in braces the values of the wildcard of this name
 * (DSP0268, Triggers.Wildcards).
 *
 * @returns undefined if every value matches
 */
function allowed(segment: string, wildcards: Trigger['wildcards']): ReadonlySet<string> | undefined {
  const found = wildcards.find(({ name }) => segment === `{${name}}`)
  if (found === undefined) return new Set([segment])
  return found.values.includes('*') ? undefined : new Set(found.values)
}

/** The reading of the sensor that shows a property. */
function readingUri({ chassis, sensor }: MetricProperty): string {
  return `${sensorUri(chassis, sensor)}/#/Reading`
}
