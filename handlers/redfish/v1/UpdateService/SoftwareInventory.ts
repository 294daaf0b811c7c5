import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('SoftwareInventory')

export const privileges = { GET: 'LoginPriv' } as const

/** Software of the host's operating system: the controller does not see any. */
export const GET: Get<typeof schema> = ({ uri }) => ({ Name: 'Software', ...members(uri, []) })
