import { entry } from '#data/board'
import { systemDefaults } from '#data/boot'
import { deferred, event, notFound, type Parameters, type Post } from '#runtime/contract'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: 'HostBIOSConfigPriv' } as const

/** The BIOS has its defaults at the next reset; the boot order and what overrides it are the board's at once. */
export const POST: Post<typeof body, 'ComputerSystemId'> = ({ params, machine, state, caller }) => {
  const system = params.ComputerSystemId
  entry(machine.board.systems, system) ?? notFound()
  return {
    ...deferred(systemDefaults(state, machine, system)),
    events: [event('MgmtEvents.SystemDefaultsRequested', `/redfish/v1/Systems/${system}`, system, caller.user)]
  }
}
