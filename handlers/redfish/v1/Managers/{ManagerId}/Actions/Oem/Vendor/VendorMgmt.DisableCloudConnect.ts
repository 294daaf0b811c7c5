import { entry } from '#data/board'
import { changed, event, notFound, type Parameters, type Post } from '#runtime/contract'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ManagerId'> = ({ params, machine, caller }) => {
  const id = params.ManagerId
  entry(machine.board.managers, id) ?? notFound()
  return {
    ...changed({ manager: { [id]: { cloudConnect: false } } }),
    events: [event('MgmtEvents.CloudConnectDisabled', `/redfish/v1/Managers/${id}`, caller.user)]
  }
}
