import { adaptersOf } from '#data/network-adapters'
import { collection } from '#data/resource'
import { type Get, members, notFound } from '#runtime/contract'

export const schema = collection('NetworkInterface')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine }) => {
  const adapters = adaptersOf(machine, params.ComputerSystemId)
  if (adapters.length === 0) notFound()
  const ids = adapters.map(({ id }) => id)
  return { Name: 'Network adapters of the host', ...members(uri, ids) }
}
