import { subscriptionBody, subscriptionFrom } from '#data/events'
import { collection } from '#data/resource'
import { created, fail, type Get, members, type Parameters, type Post } from '#runtime/contract'

export const schema = collection('EventDestination')

export const body = subscriptionBody satisfies Parameters

export const privileges = { GET: 'LoginPriv', POST: 'MgmtConfigPriv' } as const

/** Open streams are among them, for as long as they last. */
export const GET: Get<typeof schema> = ({ uri, state, streams }) => ({
  Name: 'Event subscriptions',
  ...members(uri, [...state.keys('subscription'), ...streams().keys()])
})

/** The destination is not tried: that is the first event's to do. */
export const POST: Post<typeof body> = (context) => {
  const { uri, state, configuration, random } = context
  const subscription = subscriptionFrom(context)
  if (state.keys('subscription').length >= configuration.limits.subscriptions) {
    fail(409, 'Base.EventSubscriptionLimitExceeded')
  }
  const id = random(4)
  return created(`${uri}/${id}`, { subscription: { [id]: subscription } })
}
