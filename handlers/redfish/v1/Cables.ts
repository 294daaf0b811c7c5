import { collection } from '#data/resource'
import { type Get, members, notFound } from '#runtime/contract'

export const schema = collection('Cable')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri, machine }) => ({
  Name: 'Cables',
  ...members(uri, Object.keys(machine.board.cables ?? notFound()))
})
