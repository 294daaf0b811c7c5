import { logIds } from '#data/logs'
import { collection } from '#data/resource'
import { type Get, members, type Schema } from '#runtime/contract'

export const schema = collection('LogService') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = (context) => ({
  Name: 'Logs',
  ...members(context.uri, logIds(context))
})
