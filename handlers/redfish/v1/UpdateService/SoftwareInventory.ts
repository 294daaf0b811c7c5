import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('SoftwareInventory')

export const privileges = { GET: 'LoginPriv' } as const

/** What runs in the host's operating system: the controller sees none of it. */
export const GET: Get<typeof schema> = ({ uri }) => ({ Name: 'Software', ...members(uri, []) })
