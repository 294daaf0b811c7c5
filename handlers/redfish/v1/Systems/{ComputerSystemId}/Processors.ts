import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('Processor')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine }) => {
  const { processors } = machine.system(params.ComputerSystemId)
  return { Name: 'Processors', ...members(uri, Object.keys(processors)) }
}
