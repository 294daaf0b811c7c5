import { actions, child, resource } from '#data/resource'
import { enableSecureBoot, secureBootModes, secureBootOf } from '#data/secure-boot'
import { hasVariables, setVariables } from '#data/variables'
import { changed, deferred, type Exists, fail, type Get, notFound, type Patch } from '#runtime/contract'
import { body as resetKeys } from './SecureBoot/Actions/SecureBoot.ResetKeys.ts'

export const schema = resource('SecureBoot.v1_1_2', 'Whether firmware starts signed programs only', {
  SecureBootCurrentBoot: { type: 'string', enum: ['Enabled', 'Disabled'], nullable: true, readonly: true },
  SecureBootDatabases: child('SecureBootDatabases'),
  SecureBootEnable: { type: 'boolean', readonly: false },
  SecureBootMode: { type: 'string', enum: secureBootModes, nullable: true, readonly: true },
  Actions: actions({ 'SecureBoot.ResetKeys': resetKeys })
})

export const exists: Exists<'ComputerSystemId'> = ({ params, machine, state }) =>
  secureBootOf(state, machine, params.ComputerSystemId) !== undefined

export const privileges = { GET: 'LoginPriv', PATCH: 'HostBIOSConfigPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, machine, state }) => {
  const { current, enabled, mode } = secureBootOf(state, machine, params.ComputerSystemId) ?? notFound()
  return { Name: 'Secure boot', SecureBootCurrentBoot: current, SecureBootEnable: enabled, SecureBootMode: mode }
}

export const PATCH: Patch<typeof schema, 'ComputerSystemId'> = ({ params, body, machine, state }) => {
  const system = params.ComputerSystemId
  const { mode } = secureBootOf(state, machine, system) ?? notFound()
  const { SecureBootEnable: enabled } = body
  if (enabled === undefined) return changed({})
  if (enabled && mode === 'SetupMode') fail(409, 'Mgmt.PlatformKeyRequired')
  if (hasVariables(machine, system)) return deferred(setVariables(machine, system, [enableSecureBoot(enabled)]))
  return deferred({ secureBoot: { [system]: { enabled } } })
}
