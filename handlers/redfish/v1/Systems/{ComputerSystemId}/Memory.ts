import { collection } from '#data/resource'
import { type Get, members, type Schema } from '#runtime/contract'

export const schema = collection('Memory') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine }) => {
  const { memory } = machine.system(params.ComputerSystemId)
  return { Name: 'Memory modules', ...members(uri, Object.keys(memory)) }
}
