import { factoryDefaults, factoryReset, managerUri } from '#data/manager'
import { event, message, type Post } from '#runtime/contract'

export const body = factoryReset

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** The controller starts again without accounts, settings, keys, certificates and license; what is the host's own stays. */
export const POST: Post<typeof body, 'ManagerId'> = ({ params, machine, caller }) => {
  machine.manager(params.ManagerId)
  return {
    status: 200,
    messages: [message('Mgmt.ResetInProgress')],
    writes: factoryDefaults(caller.user),
    commands: [{ kind: 'restart' }],
    events: [event('MgmtEvents.ControllerResetRequested', managerUri(params.ManagerId), caller.user)]
  }
}
