import { actions, child, resource } from '#data/resource'
import { enableSecureBoot, hasPlatformKey, secureBootEnabled } from '#data/secure-boot'
import { ofVariables, setVariables } from '#data/variables'
import { changed, deferred, fail, type Get, type Patch } from '#runtime/contract'
import { body as resetKeys } from './SecureBoot/Actions/SecureBoot.ResetKeys.ts'

export const schema = resource('SecureBoot.v1_1_2', 'Whether firmware starts signed programs only', {
  SecureBootCurrentBoot: { type: 'string', enum: ['Enabled', 'Disabled'], nullable: true, readonly: true },
  SecureBootDatabases: child('SecureBootDatabases'),
  SecureBootEnable: { type: 'boolean', readonly: false },
  SecureBootMode: { type: 'string', enum: ['SetupMode', 'UserMode'], nullable: true, readonly: true },
  Actions: actions({ 'SecureBoot.ResetKeys': resetKeys })
})

export const exists = ofVariables

export const privileges = { GET: 'LoginPriv', PATCH: 'HostBIOSConfigPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, machine, state }) => {
  const system = params.ComputerSystemId
  machine.system(system)
  return {
    Name: 'Secure boot',
    SecureBootCurrentBoot: state.get('secureBoot', system)?.current ?? 'Disabled',
    SecureBootEnable: secureBootEnabled(machine, system),
    SecureBootMode: hasPlatformKey(machine, system) ? 'UserMode' : 'SetupMode'
  }
}

export const PATCH: Patch<typeof schema, 'ComputerSystemId'> = ({ params, body, machine }) => {
  const system = params.ComputerSystemId
  machine.system(system)
  const { SecureBootEnable: enabled } = body
  if (enabled === undefined) return changed({})
  if (enabled && !hasPlatformKey(machine, system)) fail(409, 'Mgmt.PlatformKeyRequired')
  return deferred(setVariables(machine, system, [enableSecureBoot(enabled)]))
}
