import { collection, entry } from '#data'
import { type Get, members, notFound, type Schema } from '#runtime'

export const schema = collection('BootOption') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine }) => {
  const { bootOptions } = entry(machine.board.systems, params.ComputerSystemId) ?? notFound()
  return {
    Name: 'Boot options',
    ...members(
      uri,
      bootOptions.map((each) => each.reference)
    )
  }
}
