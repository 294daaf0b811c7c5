import { managerUri } from '#data/manager'
import { hasVariables } from '#data/variables'
import { deferred, type Exists, event, type Machine, object, type Post } from '#runtime/contract'

export const body = object({})

export const exists: Exists<'ManagerId'> = ({ params, machine }) => withVariables(machine, params.ManagerId).length > 0

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** The variables of the firmware go when the host is held next: at its reset, or at once while it is off. Its keys stay. */
export const POST: Post<typeof body, 'ManagerId'> = ({ params, machine, caller }) => {
  const systems = withVariables(machine, params.ManagerId)
  return {
    ...deferred({ hostPending: Object.fromEntries(systems.map((id) => [id, { clearing: 'AllButKeys' }])) }),
    events: [event('MgmtEvents.FirmwareNvramClearRequested', managerUri(params.ManagerId), caller.user)]
  }
}

/** The systems of a manager that have variables. */
function withVariables(machine: Machine, manager: string): readonly string[] {
  return machine.manager(manager).systems.filter((system) => hasVariables(machine, system))
}
