import { entry } from '#data/board'
import { deferred, event, notFound, type Parameters, type Post } from '#runtime/contract'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: 'HostBIOSConfigPriv' } as const

/** The next start of the host, and that one only, is with the least that it needs. */
export const POST: Post<typeof body, 'ComputerSystemId'> = ({ params, machine, caller }) => {
  const system = params.ComputerSystemId
  entry(machine.board.systems, system) ?? notFound()
  return {
    ...deferred({ hostPending: { [system]: { mode: 'SafeMode' } } }),
    events: [event('MgmtEvents.SafeModeRequested', `/redfish/v1/Systems/${system}`, system, caller.user)]
  }
}
