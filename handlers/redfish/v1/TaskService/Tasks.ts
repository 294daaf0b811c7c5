import { collection } from '#data'
import { type Get, members, type Schema } from '#runtime'

export const schema = collection('Task') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** Nothing that clients ask for takes longer than its answer so far. */
export const GET: Get<typeof schema> = ({ uri }) => ({ Name: 'Tasks', ...members(uri, []) })
