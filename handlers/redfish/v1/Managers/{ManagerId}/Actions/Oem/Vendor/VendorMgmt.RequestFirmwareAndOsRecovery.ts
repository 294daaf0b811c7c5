import { managerUri } from '#data/manager'
import { deferred, event, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: { all: ['MgmtConfigPriv', 'SystemRecoveryConfigPriv'] } } as const

/** Firmware and operating system are recovered ahead of the next start of the host. */
export const POST: Post<typeof body, 'ManagerId'> = ({ params, machine, caller }) => {
  const { systems } = machine.manager(params.ManagerId)
  return {
    ...deferred({ hostPending: Object.fromEntries(systems.map((id) => [id, { recovery: true }])) }),
    events: [event('MgmtEvents.RecoveryRequested', managerUri(params.ManagerId), caller.user)]
  }
}
