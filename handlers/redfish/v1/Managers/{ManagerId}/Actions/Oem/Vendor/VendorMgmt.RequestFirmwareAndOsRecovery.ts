import { entry } from '#data/board'
import { deferred, event, notFound, type Parameters, type Post } from '#runtime/contract'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: { all: ['MgmtConfigPriv', 'SystemRecoveryConfigPriv'] } } as const

/** Firmware and operating system are recovered ahead of the next start of the host. */
export const POST: Post<typeof body, 'ManagerId'> = ({ params, machine, caller }) => {
  const { systems } = entry(machine.board.managers, params.ManagerId) ?? notFound()
  return {
    ...deferred({ hostPending: Object.fromEntries(systems.map((id) => [id, { recovery: true }])) }),
    events: [event('MgmtEvents.RecoveryRequested', `/redfish/v1/Managers/${params.ManagerId}`, caller.user)]
  }
}
