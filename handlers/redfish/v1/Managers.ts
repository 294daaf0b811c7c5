import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('Manager')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, machine }) => ({
  Name: 'Managers',
  ...members(uri, Object.keys(machine.board.managers))
})
