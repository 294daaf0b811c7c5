import { baseConfigs } from '#data/bios'
import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('VendorBaseConfig')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine }) => {
  machine.system(params.ComputerSystemId)
  return { Name: 'Base configurations', ...members(uri, baseConfigs) }
}
