import { roleIds } from '#data/accounts'
import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('Role')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri }) => ({ Name: 'Roles', ...members(uri, roleIds) })
