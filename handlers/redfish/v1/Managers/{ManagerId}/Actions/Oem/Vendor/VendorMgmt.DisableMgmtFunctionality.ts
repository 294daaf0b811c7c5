import { atControllerStart, managerUri } from '#data/manager'
import { deferred, event, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: 'MgmtConfigPriv' } as const

/**
 * From the next start of the controller on, all can be read and nothing changed but sessions. A reset of the controller,
 * which is served all the same, brings the functions back.
 */
export const POST: Post<typeof body, 'ManagerId'> = ({ params, machine, caller }) => {
  machine.manager(params.ManagerId)
  return {
    ...deferred(atControllerStart('DisableFunctionality', caller.user)),
    events: [event('MgmtEvents.ManagementDisabled', managerUri(params.ManagerId), caller.user)]
  }
}
