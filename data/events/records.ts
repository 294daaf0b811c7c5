import type { LogEntry } from '#data/logs'
import { table } from '#runtime/contract'
import type { SyslogFilter } from './syslog.ts'

declare module '#runtime/contract' {
  interface Tables {
    /** By id: see `eventKey`. The newest ones, for those who missed them, and those that wait for a subscriber. */
    event: EventRecord
    /** Metric reports that wait for a subscriber: by id, of the same count as events. */
    report: ReportRecord
    /** By id. */
    subscription: Subscription
    /** Progress of a subscription: by its id; absent before the first delivery. */
    delivery: DeliveryRecord
    /** One record, `settings`. */
    eventService: { enabled: boolean }
  }
}

table('event', { survives: ['restart'], waiting: 'all' })
table('report', { survives: ['restart'], waiting: 'all' })
table('subscription', { survives: ['restart'] })
table('delivery', { survives: ['restart'], waiting: 'all' })
table('eventService', { survives: ['restart', 'restStateReset'] })

/** The prefixes of the registries whose events can be subscribed to; a subscription that names none has all of them. */
export const eventPrefixes = [
  'NetworkDevice',
  'StorageDevice',
  'ResourceEvent',
  'MgmtEvents',
  'MgmtResourceEvents',
  'Telemetry'
] as const

type EventPrefix = (typeof eventPrefixes)[number]

/** The old words for the kinds of events (DSP2046, Event.EventType); `Other` is whatever has none of them. */
export const eventTypes = [
  'StatusChange',
  'ResourceUpdated',
  'ResourceAdded',
  'ResourceRemoved',
  'Alert',
  'MetricReport',
  'Other'
] as const

export const severities = ['OK', 'Warning', 'Critical'] as const

/** The fate of a subscription once all attempts for an event have failed (DSP2046, EventDestination). */
export const retryPolicies = [
  'TerminateAfterRetries',
  'SuspendRetries',
  'RetryForever',
  'RetryForeverWithBackoff'
] as const

/** An event as it happened. */
export interface EventRecord extends LogEntry {
  /** The canonical URI, without a trailing slash, of what it is about. */
  origin: string
  /** The ids of the subscriptions that wanted it when it happened. */
  to: readonly string[]
  /** The id, the time, the kind and the group that a client gave to a test event. */
  eventId?: string
  timestamp?: string
  eventType?: string
  group?: number
}

interface ReportRecord {
  /** ISO 8601. */
  created: string
  /** The metric report, as JSON. */
  text: string
  to: readonly string[]
}

/** Filters of a subscription: an event has to pass all of them. One that is absent, or empty, lets every event through. */
export interface EventFilter {
  /** Of the events that are wanted, beside those of `messageIds`; empty only where there are such. */
  prefixes: readonly EventPrefix[]
  /** Registry and key, `ResourceEvent.ResourceChanged`: without a version. */
  messageIds?: readonly string[]
  excludedPrefixes?: readonly EventPrefix[]
  excludedMessageIds?: readonly string[]
  eventTypes?: readonly (typeof eventTypes)[number][]
  severities?: readonly (typeof severities)[number][]
  /** The names of schemas, of what an event is about. */
  resourceTypes?: readonly string[]
  /** The URIs, without a trailing slash, of what an event is about. */
  origins?: readonly string[]
  /** Whether what is below the origins counts as well. */
  subordinates?: boolean
}

export interface Subscription extends EventFilter {
  name?: string
  /** See `parseDestination`. */
  destination: string
  context: string
  format: 'Event' | 'MetricReport'
  /** Of a destination that speaks syslog over TLS; absent if notifications are posted. */
  syslog?: readonly SyslogFilter[]
  /** HTTP headers of each notification, as sealed JSON; empty without headers. */
  headers: string
  /** The URIs, without a trailing slash, of the definitions whose reports are wanted; empty: all of them. */
  metricReportDefinitions: readonly string[]
  /** Whether the subscriber's certificate must be of an authority that the service trusts. */
  verifyCertificate: boolean
  /** Whether the service shows its own certificate. */
  mutualAuthentication: boolean
  /** How often a delivery that failed is tried again, and after how many seconds. */
  retryAttempts: number
  retryInterval: number
  /** Applies after them; absent: `RetryForever`. */
  retryPolicy?: (typeof retryPolicies)[number]
  /** True where attempts were spent under `SuspendRetries`, until a client resumes it. */
  suspended?: boolean
  /** How many events may wait. */
  mostQueued: number
  /** Minutes after which an event is no longer worth delivering. */
  retireAfter: number
}

export interface DeliveryRecord {
  /** Up to this id, every event for the subscription is delivered or dropped. */
  settled: number
  delivered: number
  /** Dropped: because the queue was full, because they were too old, because no attempt succeeded. */
  queueFull: number
  retired: number
  attemptsSpent: number
  /** True when all attempts for the last settled event failed. */
  unreachable: boolean
  /** ISO 8601; empty before the first. */
  deliveredAt: string
  failedAt: string
  /** The cause of the last failed attempt. */
  failure: string
}
