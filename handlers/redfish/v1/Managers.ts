import { collection } from '#data/resource'
import { type Get, members, type Schema } from '#runtime/contract'

export const schema = collection('Manager') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, machine }) => ({
  Name: 'Managers',
  ...members(uri, Object.keys(machine.board.managers))
})
