import { collection, roleIds } from '#data'
import { type Get, members, type Schema } from '#runtime'

export const schema = collection('Role') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri }) => ({ Name: 'Roles', ...members(uri, roleIds) })
