import { collection } from '#data'
import { type Get, members, type Schema } from '#runtime'

export const schema = collection('Task') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, state }) => ({ Name: 'Tasks', ...members(uri, state.keys('task')) })
