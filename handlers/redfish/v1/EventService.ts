import { eventPrefixes, eventTypes, prefixList, resourceTypes, severities } from '#data/events'
import { actions, child, flag, integer, resource, status } from '#data/resource'
import { changed, constant, type Get, list, object, type Patch } from '#runtime/contract'
import { body as testEvent } from './EventService/Actions/EventService.SubmitTestEvent.ts'

const yes = constant(flag, true)

export const schema = resource('EventService.v1_10_3', 'Delivery of events', {
  DeliveryRetryAttempts: integer,
  DeliveryRetryIntervalSeconds: integer,
  EventFormatTypes: constant(list({ type: 'string', enum: ['Event', 'MetricReport'] }), ['Event', 'MetricReport']),
  EventTypesForSubscription: constant(list({ type: 'string', enum: eventTypes }), eventTypes),
  ExcludeMessageId: yes,
  ExcludeRegistryPrefix: yes,
  IncludeOriginOfConditionSupported: constant(flag, false),
  RegistryPrefixes: constant(prefixList, eventPrefixes),
  ResourceTypes: list({ type: 'string' }),
  SSEFilterPropertiesSupported: constant(
    object({
      EventFormatType: yes,
      EventType: yes,
      MessageId: yes,
      MetricReportDefinition: yes,
      OriginResource: yes,
      RegistryPrefix: yes,
      ResourceType: yes
    }),
    {}
  ),
  ServerSentEventUri: { type: 'string', format: 'uri-reference', readonly: true },
  Severities: constant(list({ type: 'string', enum: severities }), severities),
  ServiceEnabled: { type: 'boolean', readonly: false },
  Status: status,
  SubordinateResourcesSupported: yes,
  Subscriptions: child('Subscriptions'),
  Actions: actions({ 'EventService.SubmitTestEvent': testEvent })
})

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

export const GET: Get<typeof schema> = ({ uri, state, configuration, documents }) => {
  const enabled = state.get('eventService', 'settings')?.enabled ?? true
  return {
    Name: 'Event service',
    DeliveryRetryAttempts: configuration.events.retryAttempts,
    DeliveryRetryIntervalSeconds: configuration.events.retryInterval,
    ResourceTypes: resourceTypes(documents),
    ServerSentEventUri: `${uri}/SSE`,
    ServiceEnabled: enabled,
    Status: { State: enabled ? 'Enabled' : 'Disabled' }
  }
}

/** While the service is disabled, new events are dropped. Queued events are delivered. */
export const PATCH: Patch<typeof schema> = ({ body }) =>
  changed({ eventService: { settings: { enabled: body.ServiceEnabled } } })
