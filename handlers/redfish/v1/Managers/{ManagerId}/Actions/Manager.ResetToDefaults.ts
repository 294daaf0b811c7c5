import { factoryDefaults, managerUri, resetToDefaultsTypes } from '#data/manager'
import { event, message, object, type Post } from '#runtime/contract'

export const body = object(['ResetType'], {
  ResetType: {
    type: 'string',
    enum: Object.keys(resetToDefaultsTypes) as readonly (keyof typeof resetToDefaultsTypes)[]
  }
})

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** The vendor's ResetToFactoryDefaults, which may leave the network and the users as they are. */
export const POST: Post<typeof body, 'ManagerId'> = ({ params, body, machine, caller }) => {
  machine.manager(params.ManagerId)
  return {
    status: 200,
    messages: [message('Mgmt.ResetInProgress')],
    writes: factoryDefaults(caller.user, resetToDefaultsTypes[body.ResetType]),
    commands: [{ kind: 'restart' }],
    events: [event('MgmtEvents.ControllerResetRequested', managerUri(params.ManagerId), caller.user)]
  }
}
