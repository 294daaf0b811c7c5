import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By id; what ships is here only once it was changed. */
    metricReportDefinition: MetricReportDefinition
  }
}

table('metricReportDefinition', { survives: ['restart'] })

export const reportTypes = ['Periodic', 'OnRequest', 'OnChange'] as const

export const reportActions = ['LogToMetricReportsCollection', 'RedfishEvent'] as const

export const reportUpdates = ['Overwrite', 'AppendWrapsWhenFull', 'AppendStopsWhenFull'] as const

export const collectionFunctions = ['Average', 'Maximum', 'Minimum', 'Summation'] as const

/** A metric is its last sample, or what a function makes of the samples of `CollectionDuration`. */
export const timeScopes = ['Point', 'Interval'] as const

/** Of which metrics reports are made, and when. */
export interface MetricReportDefinition {
  name: string
  /** Of one that ships, and a client deleted. */
  removed: boolean
  type: (typeof reportTypes)[number]
  enabled: boolean
  /** Durations as they were given: see `parseDuration`. */
  interval: string | null
  /** ISO 8601. */
  start: string | null
  actions: readonly (typeof reportActions)[number][]
  updates: (typeof reportUpdates)[number]
  /** The most values in a report that others are appended to. */
  appendLimit: number
  metrics: readonly {
    readonly id: string
    /** URIs; empty: all that the metric of this id has. */
    readonly properties: readonly string[]
    readonly function: (typeof collectionFunctions)[number] | null
    readonly duration: string | null
    readonly timeScope: (typeof timeScopes)[number]
  }[]
}
