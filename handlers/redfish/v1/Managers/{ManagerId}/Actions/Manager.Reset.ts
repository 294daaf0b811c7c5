import { atControllerStart, managerResetTypes, managerUri } from '#data/manager'
import { event, message, object, type Post } from '#runtime/contract'

export const body = object({ ResetType: { type: 'string', enum: managerResetTypes } })

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** It is the way back from a controller whose functions are disabled. */
export const whileDisabled = true

/** Both ways finish what is in flight first: the host is not touched, sessions stay, and nothing stored is at risk. */
export const POST: Post<typeof body, 'ManagerId'> = ({ params, body, machine, caller }) => {
  machine.manager(params.ManagerId)
  return {
    status: 200,
    messages: [message('Mgmt.ResetInProgress')],
    writes: atControllerStart('Reset', caller.user),
    commands: [{ kind: 'restart', reset: body.ResetType === 'ForceRestart' ? 'force' : 'graceful' }],
    events: [event('MgmtEvents.ControllerResetRequested', managerUri(params.ManagerId), caller.user)]
  }
}
