import { changed, notFound, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** Delivers what still waits, and what happens from now on; what happened meanwhile was told to others only. */
export const POST: Post<typeof body, 'EventDestinationId'> = ({ params, state }) => {
  const id = params.EventDestinationId
  state.get('subscription', id) ?? notFound()
  return changed({ subscription: { [id]: { suspended: false } } })
}
