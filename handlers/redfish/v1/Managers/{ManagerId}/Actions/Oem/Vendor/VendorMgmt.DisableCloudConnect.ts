import { managerUri } from '#data/manager'
import { changed, event, type Parameters, type Post } from '#runtime/contract'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ManagerId'> = ({ params, machine, caller }) => {
  const id = params.ManagerId
  machine.manager(id)
  return {
    ...changed({ manager: { [id]: { cloudConnect: false } } }),
    events: [event('MgmtEvents.CloudConnectDisabled', managerUri(id), caller.user)]
  }
}
