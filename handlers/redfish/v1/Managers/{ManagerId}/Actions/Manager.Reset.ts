import { entry, managerResetTypes } from '#data'
import { done, message, notFound, type Parameters, type Post } from '#runtime'

export const body = {
  type: 'object',
  required: ['ResetType'],
  properties: { ResetType: { type: 'string', enum: managerResetTypes } }
} as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** Both ways finish what is in flight first: the host is not touched, and nothing that is stored is at risk. */
export const POST: Post<typeof body, 'ManagerId'> = ({ params, machine }) => {
  entry(machine.board.managers, params.ManagerId) ?? notFound()
  return done([{ restart: 'service' }], message('Mgmt.ResetInProgress'))
}
