import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('Memory')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine }) => {
  const { memory } = machine.system(params.ComputerSystemId)
  return { Name: 'Memory modules', ...members(uri, Object.keys(memory)) }
}
