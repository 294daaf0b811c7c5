import { findNetworkAdapter } from '#data/network-adapters'
import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('Port')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId' | 'NetworkAdapterId'> = ({ params, uri, machine }) => {
  const { ports } = findNetworkAdapter(machine, params.ChassisId, params.NetworkAdapterId)
  return { Name: 'Network ports', ...members(uri, Object.keys(ports)) }
}
