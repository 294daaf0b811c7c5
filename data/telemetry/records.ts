import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By id; what ships is here only once it was changed. */
    metricReportDefinition: MetricReportDefinition
    /** By id. */
    trigger: Trigger
    /** By the id of a trigger: which of its conditions hold. Absent while none does. */
    triggered: Triggered
  }
}

table('metricReportDefinition', { survives: ['restart'] })
table('trigger', { survives: ['restart'] })
table('triggered', { survives: ['restart'], waiting: 'all' })

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

/** The thresholds of a trigger (DSP0268, Triggers.NumericThresholds), from the lowest reading to the highest. */
export const triggerThresholds = ['LowerCritical', 'LowerWarning', 'UpperWarning', 'UpperCritical'] as const

export type TriggerThreshold = (typeof triggerThresholds)[number]

export const activations = ['Increasing', 'Decreasing', 'Either', 'Disabled'] as const

export const triggerActions = ['LogToLogService', 'RedfishEvent', 'RedfishMetricReport'] as const

export const metricTypes = ['Numeric', 'Discrete'] as const

export const discreteConditions = ['Specified', 'Changed'] as const

/** The actions when the value of a metric meets a condition. Durations are as given: see `parseDuration`. */
export interface Trigger {
  name: string
  enabled: boolean
  type: (typeof metricTypes)[number]
  actions: readonly (typeof triggerActions)[number][]
  /** The ids of metrics. */
  metrics: readonly string[]
  /** URIs, whose segments may be wildcards in braces; empty: all properties of the metrics. */
  properties: readonly string[]
  /** The segments that the wildcards stand for; `*` is any. */
  wildcards: readonly { readonly name: string; readonly values: readonly string[] }[]
  /** The ids of the definitions whose reports are made. */
  reports: readonly string[]
  /** How far a value must return, and for how long; null: `health.settleTime`. */
  hysteresis: number
  settle: string | null
  thresholds: {
    readonly [N in TriggerThreshold]?: {
      readonly reading: number
      readonly activation: (typeof activations)[number]
      readonly dwell: string | null
    }
  }
  /** Of a discrete trigger; and with `Specified`, the values. */
  condition: (typeof discreteConditions)[number] | null
  values: readonly {
    readonly name: string | null
    readonly value: string
    readonly dwell: string | null
    readonly severity: 'OK' | 'Warning' | 'Critical' | null
  }[]
}

interface Triggered {
  /** By the URI of a metric property: thresholds or values. */
  held: { readonly [uri: string]: readonly string[] }
}
