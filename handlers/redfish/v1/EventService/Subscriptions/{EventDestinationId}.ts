import { eventDestination, subscriptionChanges, subscriptionStatus } from '#data/events'
import { changed, type Delete, type Get, notFound, type Patch, type Schema } from '#runtime/contract'

export const schema = eventDestination satisfies Schema

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv', DELETE: 'MgmtConfigPriv' } as const

export const GET: Get<typeof schema, 'EventDestinationId'> = ({ params, state, delivery }) => {
  const subscription = state.get('subscription', params.EventDestinationId) ?? notFound()
  const enabled = state.get('eventService', 'settings')?.enabled ?? true
  const progress = delivery(params.EventDestinationId)
  const { queued, delivered, queueFull, retired, attemptsSpent, deliveredAt, failedAt, failure } = progress
  return {
    Name: 'Event subscription',
    Destination: subscription.destination,
    Context: subscription.context,
    EventFormatType: subscription.format,
    HttpHeaders: [],
    MetricReportDefinitions: subscription.metricReportDefinitions.map((uri) => `${uri}/`),
    Protocol: 'Redfish',
    RegistryPrefixes: [...subscription.prefixes],
    Status: subscriptionStatus(progress.trouble, enabled),
    SubscriptionType: 'RedfishEvent',
    VerifyCertificate: subscription.verifyCertificate,
    Oem: {
      Vendor: {
        '@odata.type': '#VendorEventDestination.v1_0_0.VendorEventDestination',
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

export const PATCH: Patch<typeof schema, 'EventDestinationId'> = (context) => {
  const id = context.params.EventDestinationId
  const { prefixes } = context.state.get('subscription', id) ?? notFound()
  return changed({ subscription: { [id]: subscriptionChanges(context, prefixes) } })
}

/** Deletes the events that wait for the subscriber as well. */
export const DELETE: Delete<'EventDestinationId'> = ({ params, state }) => {
  const id = params.EventDestinationId
  state.get('subscription', id) ?? notFound()
  return changed({ subscription: { [id]: null }, delivery: { [id]: null } })
}
