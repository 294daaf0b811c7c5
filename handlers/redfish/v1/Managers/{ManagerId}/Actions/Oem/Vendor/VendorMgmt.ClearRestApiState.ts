import { atControllerStart } from '#data/manager'
import { deferred, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: 'MgmtConfigPriv' } as const

/**
 * Removes the state that clients left in the interface, at the next start of the controller: subscriptions, queues,
 * sessions.
 */
export const POST: Post<typeof body, 'ManagerId'> = ({ params, machine, caller }) => {
  machine.manager(params.ManagerId)
  return deferred(atControllerStart('ClearRestApiState', caller.user))
}
