import { systemUri } from '#data/system'
import { deferred, event, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: 'HostBIOSConfigPriv' } as const

/** The next start of the host, and that one only, is with the least that it needs. */
export const POST: Post<typeof body, 'ComputerSystemId'> = ({ params, machine, caller }) => {
  const system = params.ComputerSystemId
  machine.system(system)
  return {
    ...deferred({ hostPending: { [system]: { mode: 'SafeMode' } } }),
    events: [event('MgmtEvents.SafeModeRequested', systemUri(system), system, caller.user)]
  }
}
