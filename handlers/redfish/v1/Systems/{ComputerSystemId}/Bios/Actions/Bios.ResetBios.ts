import { resetPending } from '#data/bios'
import { deferred, notFound, type Post } from '#runtime/contract'

export const privileges = { POST: 'HostBIOSConfigPriv' } as const

/** Clients of other makers name the kind of defaults there; this BIOS has one kind. */
export const ignored = ['ResetType'] as const

/** The registry's defaults come back at the next reset; the vendor's resources below the BIOS stay as they are. */
export const POST: Post<{ type: 'object'; properties: object }, 'ComputerSystemId'> = ({ params, state }) => {
  const system = params.ComputerSystemId
  state.get('biosCurrent', system) ?? notFound()
  return deferred({ biosPending: { [system]: resetPending(state.get('biosPending', system)) } })
}
