import { managerSettings, managerUri } from '#data/manager'
import { changed, event, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ManagerId'> = ({ params, machine, caller }) => {
  const id = params.ManagerId
  machine.manager(id)
  const { hotKeys } = managerSettings(undefined)
  return {
    ...changed({ manager: { [id]: { hotKeys } } }),
    events: [event('MgmtEvents.HotKeysCleared', managerUri(id), caller.user)]
  }
}
