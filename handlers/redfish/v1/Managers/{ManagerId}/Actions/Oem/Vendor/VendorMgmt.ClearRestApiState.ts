import { atControllerStart } from '#data/manager'
import { deferred, type Parameters, type Post } from '#runtime/contract'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** What clients left in the interface is gone when the controller starts again: subscriptions, what is queued, sessions. */
export const POST: Post<typeof body, 'ManagerId'> = ({ params, machine, caller }) => {
  machine.manager(params.ManagerId)
  return deferred(atControllerStart('ClearRestApiState', caller.user))
}
