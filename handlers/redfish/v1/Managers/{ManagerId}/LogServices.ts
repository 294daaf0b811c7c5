import { logId } from '#data/logs'
import { collection } from '#data/resource'
import { type Get, members, type Schema } from '#runtime/contract'

export const schema = collection('LogService') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId'> = ({ params, uri, machine }) => {
  machine.manager(params.ManagerId)
  return { Name: 'Logs', ...members(uri, [logId('Managers')]) }
}
