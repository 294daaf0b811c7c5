import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('StorageController')

export const privileges = { GET: 'LoginPriv' } as const

/** Each storage is what one controller has behind it. */
export const GET: Get<typeof schema, 'ComputerSystemId' | 'StorageId'> = ({ params, uri, machine }) => {
  machine.storage(params.ComputerSystemId, params.StorageId)
  return { Name: 'Storage controllers', ...members(uri, ['1']) }
}
