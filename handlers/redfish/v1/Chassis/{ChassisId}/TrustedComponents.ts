import { trustedModuleId, trustedSystems } from '#data/chassis'
import { collection } from '#data/resource'
import { type Get, members, notFound } from '#runtime/contract'

export const schema = collection('TrustedComponent')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine }) => {
  const systems = trustedSystems(machine, params.ChassisId)
  if (systems.length === 0) notFound()
  return { Name: 'Trusted components', ...members(uri, systems.map(trustedModuleId)) }
}
