import { actions, flag, integer, oem, reference, resource, status, text } from '#data/resource'
import { list, object } from '#runtime/schema'
import { eventPrefixes, eventTypes, retryPolicies, severities } from './records.ts'
import { syslogFacilities, syslogSeverities } from './syslog.ts'

export const prefixList = list({ type: 'string', enum: eventPrefixes })

/** An object of names and values, or an array of such objects: clients send both. */
const httpHeaders = { type: ['array', 'object'], readonly: false } as const

const context = { type: 'string', maxLength: 1024, nullable: true, readonly: false } as const

/** With a version of its registry or without one. */
const messageId = { type: 'string', maxLength: 256, pattern: '^[A-Za-z]\\w*(\\.\\d+){0,3}\\.[A-Za-z]\\w*$' } as const

const prefixes = {
  type: 'array',
  items: { type: 'string', enum: eventPrefixes },
  maxItems: 16,
  readonly: false
} as const

/** The properties that say what events a subscription wants, as clients give them and as it shows them. */
const filters = {
  EventTypes: { type: 'array', items: { type: 'string', enum: eventTypes }, maxItems: 16, readonly: true },
  ExcludeMessageIds: { type: 'array', items: messageId, maxItems: 64, readonly: true },
  ExcludeRegistryPrefixes: { ...prefixes, readonly: true },
  MessageIds: { type: 'array', items: messageId, maxItems: 64, readonly: true },
  OriginResources: { type: 'array', items: reference, maxItems: 64, readonly: true },
  ResourceTypes: { type: 'array', items: { type: 'string', maxLength: 128 }, maxItems: 64, readonly: true },
  Severities: { type: 'array', items: { type: 'string', enum: severities }, maxItems: 16, readonly: true },
  SubordinateResources: flag
} as const

const syslogFilters = {
  type: 'array',
  items: object({
    LogFacilities: { type: 'array', items: { type: 'string', enum: syslogFacilities }, maxItems: 24, readonly: true },
    LowestSeverity: { type: 'string', enum: [...syslogSeverities, 'All'], readonly: true }
  }),
  maxItems: 16,
  readonly: true
} as const

const retryPolicy = { type: 'string', enum: retryPolicies, nullable: true, readonly: false } as const

/** Settings of a delivery that clients may change. */
const settings = {
  DeliveryRetryAttempts: { type: 'integer', minimum: 0, maximum: 10, readonly: false },
  DeliveryRetryIntervalInSeconds: { type: 'integer', minimum: 1, maximum: 600, readonly: false },
  MutualAuthenticationEnabled: { type: 'boolean', readonly: false },
  RequestedMaxEventsToQueue: { type: 'integer', minimum: 1, maximum: 100, readonly: false },
  RetireOldEventInMinutes: { type: 'integer', minimum: 1, maximum: 1440, readonly: false }
} as const

export const eventDestination = resource(
  'EventDestination.v1_15_0',
  'A subscriber and the events that it asked for',
  ['Destination', 'Context', 'Protocol'],
  {
    ...filters,
    Context: context,
    DeliveryRetryPolicy: retryPolicy,
    Destination: { type: 'string', format: 'uri', readonly: true },
    EventFormatType: { type: 'string', enum: ['Event', 'MetricReport'], readonly: true },
    HttpHeaders: httpHeaders,
    MetricReportDefinitions: list({ type: 'string' }),
    Protocol: { type: 'string', enum: ['Redfish', 'SyslogTLS'], readonly: true },
    RegistryPrefixes: prefixes,
    Status: status,
    SubscriptionType: { type: 'string', enum: ['RedfishEvent', 'SSE', 'Syslog'], nullable: true, readonly: true },
    SyslogFilters: syslogFilters,
    VerifyCertificate: { type: 'boolean', readonly: false },
    Actions: actions({ 'EventDestination.ResumeSubscription': {} }),
    Oem: oem('VendorEventDestination.v1_0_0', {
      ...settings,
      DeliveredEvents: integer,
      DroppedEvents: object({ AttemptsSpent: integer, QueueFull: integer, Retired: integer }),
      LastDeliveryTime: { type: 'string', format: 'date-time', nullable: true, readonly: true },
      LastFailure: text,
      LastFailureTime: { type: 'string', format: 'date-time', nullable: true, readonly: true },
      QueuedEvents: integer
    })
  }
)

export const subscriptionBody = object(['Destination'], {
  ...filters,
  Destination: { type: 'string', format: 'uri', maxLength: 1024 },
  Context: context,
  DeliveryRetryPolicy: retryPolicy,
  EventFormatType: { type: 'string', enum: ['Event', 'MetricReport'] },
  HttpHeaders: httpHeaders,
  MetricReportDefinitions: { type: 'array', items: { type: 'string', format: 'uri-reference' }, maxItems: 64 },
  Name: { type: 'string', minLength: 1, maxLength: 128 },
  Protocol: { type: 'string', enum: ['Redfish', 'SyslogTLS'] },
  RegistryPrefixes: prefixes,
  SubscriptionType: { type: 'string', enum: ['RedfishEvent', 'Syslog'], nullable: true },
  SyslogFilters: syslogFilters,
  VerifyCertificate: { type: 'boolean' },
  Oem: object({ Vendor: object(settings) })
})

/** The `Status` of a subscription. */
export function subscriptionStatus(trouble: 'none' | 'failing' | 'unreachable', enabled: boolean) {
  const health = { none: 'OK', failing: 'Warning', unreachable: 'Critical' } as const
  const state = !enabled ? 'Disabled' : trouble === 'unreachable' ? 'UnavailableOffline' : 'Enabled'
  return { State: state, Health: health[trouble] } as const
}
