import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('Task')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, state }) => ({ Name: 'Tasks', ...members(uri, state.keys('task')) })
