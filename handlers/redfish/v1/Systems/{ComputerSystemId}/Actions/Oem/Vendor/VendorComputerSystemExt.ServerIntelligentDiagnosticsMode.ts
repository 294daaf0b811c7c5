import { entry } from '#data/board'
import { deferred, event, notFound, type Parameters, type Post } from '#runtime/contract'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: 'HostBIOSConfigPriv' } as const

/** The next start of the host, and that one only, is trying its parts one after the other. */
export const POST: Post<typeof body, 'ComputerSystemId'> = ({ params, machine, caller }) => {
  const system = params.ComputerSystemId
  entry(machine.board.systems, system) ?? notFound()
  return {
    ...deferred({ hostPending: { [system]: { mode: 'IntelligentDiagnostics' } } }),
    events: [event('MgmtEvents.DiagnosticsModeRequested', `/redfish/v1/Systems/${system}`, system, caller.user)]
  }
}
