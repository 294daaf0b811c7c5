import { eventPrefixes, eventTypes, prefixList, resourceTypes, severities } from '#data/events'
import { action, actionInfo, flag, integer, reference, resource, status } from '#data/resource'
import { changed, type Get, link, type Patch, type Schema } from '#runtime/contract'

export const schema = {
  title: '#EventService.v1_10_3.EventService',
  description: 'Delivery of events',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    DeliveryRetryAttempts: integer,
    DeliveryRetryIntervalSeconds: integer,
    EventFormatTypes: { type: 'array', items: { type: 'string', enum: ['Event', 'MetricReport'] }, readonly: true },
    EventTypesForSubscription: { type: 'array', items: { type: 'string', enum: eventTypes }, readonly: true },
    ExcludeMessageId: flag,
    ExcludeRegistryPrefix: flag,
    IncludeOriginOfConditionSupported: flag,
    RegistryPrefixes: prefixList,
    ResourceTypes: { type: 'array', items: { type: 'string' }, readonly: true },
    SSEFilterPropertiesSupported: {
      type: 'object',
      properties: {
        EventFormatType: flag,
        EventType: flag,
        MessageId: flag,
        MetricReportDefinition: flag,
        OriginResource: flag,
        RegistryPrefix: flag,
        ResourceType: flag
      }
    },
    ServerSentEventUri: { type: 'string', format: 'uri-reference', readonly: true },
    Severities: { type: 'array', items: { type: 'string', enum: severities }, readonly: true },
    ServiceEnabled: { type: 'boolean', readonly: false },
    Status: status,
    SubordinateResourcesSupported: flag,
    Subscriptions: reference,
    Actions: {
      type: 'object',
      properties: { '#EventService.SubmitTestEvent': action('EventType', 'MessageSeverity', 'Severity') }
    }
  }
} as const satisfies Schema

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
