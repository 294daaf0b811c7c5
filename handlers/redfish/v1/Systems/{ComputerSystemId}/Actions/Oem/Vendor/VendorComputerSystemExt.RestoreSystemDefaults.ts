import { ofSystemDefaults, systemDefaults } from '#data/boot'
import { systemUri } from '#data/system'
import { deferred, event, object, type Post } from '#runtime/contract'

export const body = object({})

export const exists = ofSystemDefaults

export const privileges = { POST: 'HostBIOSConfigPriv' } as const

/** The BIOS has its defaults at the next reset; the boot order and what overrides it are the board's at once. */
export const POST: Post<typeof body, 'ComputerSystemId'> = ({ params, machine, state, caller }) => {
  const system = params.ComputerSystemId
  machine.system(system)
  return {
    ...deferred(systemDefaults(state, machine, system)),
    events: [event('MgmtEvents.SystemDefaultsRequested', systemUri(system), system, caller.user)]
  }
}
