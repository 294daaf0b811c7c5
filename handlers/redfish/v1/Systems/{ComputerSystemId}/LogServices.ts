import { logIds, logServices } from '#data/logs'
import { type Get, members, type Schema } from '#runtime/contract'

export const schema = logServices satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = (context) => ({
  Name: 'Logs',
  ...members(context.uri, logIds(context))
})
