import { eventPrefixes, eventTypes, prefixList, resourceTypes, severities } from '#data/events'
import { action, actionInfo, flag, integer, reference, resource, status } from '#data/resource'
import { changed, type Get, link, list, object, type Patch } from '#runtime/contract'

export const schema = resource('EventService.v1_10_3', 'Delivery of events', {
  DeliveryRetryAttempts: integer,
  DeliveryRetryIntervalSeconds: integer,
  EventFormatTypes: list({ type: 'string', enum: ['Event', 'MetricReport'] }),
  EventTypesForSubscription: list({ type: 'string', enum: eventTypes }),
  ExcludeMessageId: flag,
  ExcludeRegistryPrefix: flag,
  IncludeOriginOfConditionSupported: flag,
  RegistryPrefixes: prefixList,
  ResourceTypes: list({ type: 'string' }),
  SSEFilterPropertiesSupported: object({
    EventFormatType: flag,
    EventType: flag,
    MessageId: flag,
    MetricReportDefinition: flag,
    OriginResource: flag,
    RegistryPrefix: flag,
    ResourceType: flag
  }),
  ServerSentEventUri: { type: 'string', format: 'uri-reference', readonly: true },
  Severities: list({ type: 'string', enum: severities }),
  ServiceEnabled: { type: 'boolean', readonly: false },
  Status: status,
  SubordinateResourcesSupported: flag,
  Subscriptions: reference,
  Actions: object({ '#EventService.SubmitTestEvent': action('EventType', 'MessageSeverity', 'Severity') })
})

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

export const GET: Get<typeof schema> = ({ uri, state, configuration, documents }) => {
  const enabled = state.get('eventService', 'settings')?.enabled ?? true
  return {
    Name: 'Event service',
    DeliveryRetryAttempts: configuration.events.retryAttempts,
    DeliveryRetryIntervalSeconds: configuration.events.retryInterval,
    EventFormatTypes: ['Event', 'MetricReport'],
    EventTypesForSubscription: [...eventTypes],
    ExcludeMessageId: true,
    ExcludeRegistryPrefix: true,
    IncludeOriginOfConditionSupported: false,
    RegistryPrefixes: [...eventPrefixes],
    ResourceTypes: resourceTypes(documents),
    SSEFilterPropertiesSupported: {
      EventFormatType: true,
      EventType: true,
      MessageId: true,
      MetricReportDefinition: true,
      OriginResource: true,
      RegistryPrefix: true,
      ResourceType: true
    },
    ServerSentEventUri: `${uri}/SSE`,
    Severities: [...severities],
    ServiceEnabled: enabled,
    Status: { State: enabled ? 'Enabled' : 'Disabled' },
    SubordinateResourcesSupported: true,
    Subscriptions: link(`${uri}/Subscriptions`),
    Actions: {
      '#EventService.SubmitTestEvent': {
        ...actionInfo('EventService.SubmitTestEvent'),
        'EventType@Redfish.AllowableValues': [...eventTypes],
        'MessageSeverity@Redfish.AllowableValues': [...severities],
        'Severity@Redfish.AllowableValues': [...severities]
      }
    }
  }
}

/** While the service is disabled, new events are dropped. Queued events are delivered. */
export const PATCH: Patch<typeof schema> = ({ body }) =>
  changed({ eventService: { settings: { enabled: body.ServiceEnabled } } })
