import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('ComputerSystem')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, machine }) => ({
  Name: 'Systems',
  ...members(uri, Object.keys(machine.board.systems))
})
