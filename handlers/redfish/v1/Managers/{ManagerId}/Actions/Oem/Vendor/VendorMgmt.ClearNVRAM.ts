import { managerUri } from '#data/manager'
import { deferred, event, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** The variables of the firmware go when the host is held next: at its reset, or at once while it is off. Its keys stay. */
export const POST: Post<typeof body, 'ManagerId'> = ({ params, machine, caller }) => {
  const { systems } = machine.manager(params.ManagerId)
  return {
    ...deferred({ hostPending: Object.fromEntries(systems.map((id) => [id, { clearing: 'AllButKeys' }])) }),
    events: [event('MgmtEvents.FirmwareNvramClearRequested', managerUri(params.ManagerId), caller.user)]
  }
}
