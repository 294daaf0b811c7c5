import { entry } from '#data/board'
import { atControllerStart, factoryResetTypes } from '#data/manager'
import { event, message, notFound, type Parameters, type Post } from '#runtime/contract'

export const body = {
  type: 'object',
  required: ['ResetType'],
  properties: { ResetType: { type: 'string', enum: factoryResetTypes } }
} as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** The controller starts again without accounts, settings, keys, certificates and license; what is the host's own stays. */
export const POST: Post<typeof body, 'ManagerId'> = ({ params, machine, caller }) => {
  entry(machine.board.managers, params.ManagerId) ?? notFound()
  return {
    status: 200,
    messages: [message('Mgmt.ResetInProgress')],
    writes: atControllerStart('ResetToFactoryDefaults', caller.user),
    commands: [{ kind: 'restart' }],
    events: [event('MgmtEvents.ControllerResetRequested', `/redfish/v1/Managers/${params.ManagerId}`, caller.user)]
  }
}
