import { networkAdapterIds } from '#data/network-adapters'
import { collection } from '#data/resource'
import { type Get, members, notFound } from '#runtime/contract'

export const schema = collection('NetworkAdapter')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine }) => {
  const ids = networkAdapterIds(machine.chassis(params.ChassisId))
  if (ids.length === 0) notFound()
  return { Name: 'Network adapters', ...members(uri, ids) }
}
