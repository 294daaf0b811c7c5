import { entry } from '#data/board'
import { atControllerStart, managerResetTypes } from '#data/manager'
import { event, message, notFound, type Parameters, type Post } from '#runtime/contract'

export const body = {
  type: 'object',
  required: ['ResetType'],
  properties: { ResetType: { type: 'string', enum: managerResetTypes } }
} as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** It is the way back from a controller whose functions are disabled. */
export const whileDisabled = true

/** All sessions end. Both ways finish what is in flight first: the host is not touched, and nothing stored is at risk. */
export const POST: Post<typeof body, 'ManagerId'> = ({ params, machine, state, caller }) => {
  entry(machine.board.managers, params.ManagerId) ?? notFound()
  const sessions = Object.fromEntries(state.keys('session').map((id) => [id, null]))
  return {
    status: 200,
    messages: [message('Mgmt.ResetInProgress')],
    writes: { ...atControllerStart('Reset', caller.user), session: sessions },
    commands: [{ kind: 'restart' }],
    events: [event('MgmtEvents.ControllerResetRequested', `/redfish/v1/Managers/${params.ManagerId}`, caller.user)]
  }
}
