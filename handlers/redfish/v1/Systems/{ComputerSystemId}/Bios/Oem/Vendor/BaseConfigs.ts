import { baseConfigs, collection, entry } from '#data'
import { type Get, members, notFound, type Schema } from '#runtime'

export const schema = collection('VendorBaseConfig') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine }) => {
  entry(machine.board.systems, params.ComputerSystemId) ?? notFound()
  return { Name: 'Base configurations', ...members(uri, baseConfigs) }
}
