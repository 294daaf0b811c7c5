import type { Subscription } from '../types.ts'

/** How the delivery of a test event to a subscription goes. `unwanted`: the subscription does not ask for such events. */
export type Delivery =
  | { readonly state: 'delivered' | 'pending' | 'unwanted' }
  | { readonly state: 'failing' | 'dropped'; readonly cause: string }

/**
 * The outcome of a test event, from the subscription's counts before it was sent and now.
 *
 * @param isLast whether nothing more is expected, so that an event that left no trace was not wanted
 */
export function deliveryOf(before: Subscription, now: Subscription, isLast: boolean): Delivery {
  const [was, is] = [before.Oem?.Vendor, now.Oem?.Vendor]
  const cause = is?.LastFailure ?? ''
  // Events that failed before are delivered first.
  const isFailing = now.Status?.Health !== 'OK'
  if ((is?.QueuedEvents ?? 0) > 0) return isFailing ? { state: 'failing', cause } : { state: 'pending' }
  if (dropped(is) > dropped(was)) return { state: 'dropped', cause }
  // The queue is delivered in order: when it is empty, its last event has been delivered as well.
  if ((is?.DeliveredEvents ?? 0) > (was?.DeliveredEvents ?? 0)) return { state: 'delivered' }
  return { state: isLast ? 'unwanted' : 'pending' }
}

type Counts = NonNullable<Subscription['Oem']>['Vendor']

function dropped(counts: Counts | undefined): number {
  const { AttemptsSpent, QueueFull, Retired } = counts?.DroppedEvents ?? {}
  return (AttemptsSpent ?? 0) + (QueueFull ?? 0) + (Retired ?? 0)
}
