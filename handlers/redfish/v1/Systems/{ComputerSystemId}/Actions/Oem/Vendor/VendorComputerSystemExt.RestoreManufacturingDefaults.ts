import { systemDefaults } from '#data/boot'
import { resetContents, setDatabases } from '#data/secure-boot'
import { systemUri } from '#data/system'
import { hasVariables } from '#data/variables'
import { deferred, event, merged, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: { all: ['HostBIOSConfigPriv', 'SystemRecoveryConfigPriv'] } } as const

/** The system is as it left the factory at its next reset: its settings, passwords, keys of secure boot and asset tag. */
export const POST: Post<typeof body, 'ComputerSystemId'> = ({ params, machine, state, caller }) => {
  const system = params.ComputerSystemId
  const { assetTag = '' } = machine.system(system)
  const settings = systemDefaults(state, machine, system)
  const keys = hasVariables(machine, system)
    ? setDatabases(machine, system, resetContents(machine, system, 'ResetAllKeysToDefault'))
    : {}
  const passwords = { Administrator: '', User: '' }
  const pending = settings.biosPending?.[system]
  const origin = systemUri(system)
  return {
    ...deferred({
      ...merged(settings, keys),
      ...(pending && { biosPending: { [system]: { ...pending, passwords } } }),
      system: { [system]: { ...settings.system?.[system], assetTag } }
    }),
    events: [event('MgmtEvents.ManufacturingDefaultsRequested', origin, system, caller.user)]
  }
}
