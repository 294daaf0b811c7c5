import { managerUri } from '#data/manager'
import { changed, event, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ManagerId'> = ({ params, machine, caller }) => {
  const id = params.ManagerId
  machine.manager(id)
  return {
    ...changed({ manager: { [id]: { cloudConnect: true } } }),
    events: [event('MgmtEvents.CloudConnectEnabled', managerUri(id), caller.user)]
  }
}
