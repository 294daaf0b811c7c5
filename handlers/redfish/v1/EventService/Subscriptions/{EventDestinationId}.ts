import {
  defaultPolicy,
  endSubscription,
  eventDestination,
  isStreamId,
  type OpenStream,
  subscriptionChanges,
  subscriptionStatus
} from '#data/events'
import {
  changed,
  type Delete,
  done,
  type Get,
  link,
  type Methods,
  notFound,
  type Patch,
  type Resource,
  type Schema
} from '#runtime/contract'

export const schema = eventDestination satisfies Schema

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv', DELETE: 'MgmtConfigPriv' } as const

export const methods: Methods = ({ EventDestinationId: id = '' }) =>
  isStreamId(id) ? ['GET', 'DELETE'] : ['GET', 'PATCH', 'DELETE']

export const GET: Get<typeof schema, 'EventDestinationId'> = ({ params, state, streams, delivery }) => {
  if (isStreamId(params.EventDestinationId)) return showStream(streams().get(params.EventDestinationId) ?? notFound())
  const subscription = state.get('subscription', params.EventDestinationId) ?? notFound()
  const enabled = state.get('eventService', 'settings')?.enabled ?? true
  const progress = delivery(params.EventDestinationId)
  const { queued, delivered, queueFull, retired, attemptsSpent, deliveredAt, failedAt, failure } = progress
  return {
    Name: subscription.name ?? 'Event subscription',
    Destination: subscription.destination,
    Context: subscription.context,
    DeliveryRetryPolicy: subscription.retryPolicy ?? defaultPolicy,
    EventFormatType: subscription.format,
    EventTypes: subscription.eventTypes,
    ExcludeMessageIds: subscription.excludedMessageIds ?? [],
    ExcludeRegistryPrefixes: subscription.excludedPrefixes ?? [],
    HttpHeaders: [],
    MessageIds: subscription.messageIds ?? [],
    MetricReportDefinitions: subscription.metricReportDefinitions.map((uri) => `${uri}/`),
    OriginResources: (subscription.origins ?? []).map(link),
    Protocol: subscription.syslog ? 'SyslogTLS' : 'Redfish',
    RegistryPrefixes: [...subscription.prefixes],
    ResourceTypes: subscription.resourceTypes ?? [],
    Severities: subscription.severities ?? [],
    Status: subscriptionStatus(progress.trouble, enabled && !subscription.suspended),
    SubordinateResources: subscription.subordinates ?? false,
    SubscriptionType: subscription.syslog ? 'Syslog' : 'RedfishEvent',
    ...(subscription.syslog && { SyslogFilters: subscription.syslog }),
    VerifyCertificate: subscription.verifyCertificate,
    Oem: {
      Vendor: {
        DeliveryRetryAttempts: subscription.retryAttempts,
        DeliveryRetryIntervalInSeconds: subscription.retryInterval,
        MutualAuthenticationEnabled: subscription.mutualAuthentication,
        RequestedMaxEventsToQueue: subscription.mostQueued,
        RetireOldEventInMinutes: subscription.retireAfter,
        DeliveredEvents: delivered,
        DroppedEvents: { AttemptsSpent: attemptsSpent, QueueFull: queueFull, Retired: retired },
        LastDeliveryTime: deliveredAt === '' ? null : deliveredAt,
        LastFailure: failure === '' ? null : failure,
        LastFailureTime: failedAt === '' ? null : failedAt,
        QueuedEvents: queued
      }
    }
  }
}

function showStream({ destination, context }: OpenStream): Resource<typeof schema> {
  return {
    Name: 'Event stream',
    Destination: destination,
    Context: context,
    EventFormatType: 'Event',
    Protocol: 'Redfish',
    SubscriptionType: 'SSE'
  }
}

export const PATCH: Patch<typeof schema, 'EventDestinationId'> = (context) => {
  const id = context.params.EventDestinationId
  const present = context.state.get('subscription', id) ?? notFound()
  return changed({ subscription: { [id]: subscriptionChanges(context, present) } })
}

/** Deletes the events that wait for the subscriber as well; a stream ends. */
export const DELETE: Delete<'EventDestinationId'> = ({ params, state, streams }) => {
  const id = params.EventDestinationId
  if (isStreamId(id)) {
    streams().get(id) ?? notFound()
    return done([{ kind: 'endStream', stream: id }])
  }
  state.get('subscription', id) ?? notFound()
  return changed(endSubscription(id))
}
