import t from 'tap'
import { deliveryOf } from '#runtime/page/rules/delivery.ts'

type Subscription = Parameters<typeof deliveryOf>[0]

/** A subscription as its counts have it. */
function counts(DeliveredEvents: number, QueuedEvents: number, AttemptsSpent = 0, Health = 'OK'): Subscription {
  const Vendor = { DeliveredEvents, QueuedEvents, LastFailure: 'refused', DroppedEvents: { AttemptsSpent } }
  return { Status: { Health }, Oem: { Vendor } } as Subscription
}

t.test('a test event is delivered once the queue behind it is empty', async (t) => {
  const before = counts(3, 1)
  t.same(deliveryOf(before, counts(4, 1), false), { state: 'pending' }, 'one from before was delivered')
  t.same(deliveryOf(before, counts(5, 0), false), { state: 'delivered' })
})

t.test('one that fails names the cause, and so does one that is given up', async (t) => {
  t.same(deliveryOf(counts(3, 0), counts(3, 1, 0, 'Warning'), true), { state: 'failing', cause: 'refused' })
  t.same(deliveryOf(counts(3, 0), counts(3, 0, 1, 'Critical'), false), { state: 'dropped', cause: 'refused' })
})

t.test('one that leaves no trace was not wanted', async (t) => {
  t.same(deliveryOf(counts(3, 0), counts(3, 0), false), { state: 'pending' })
  t.same(deliveryOf(counts(3, 0), counts(3, 0), true), { state: 'unwanted' })
})
