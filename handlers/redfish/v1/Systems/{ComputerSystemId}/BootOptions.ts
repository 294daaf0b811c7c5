import { collection, entry } from '#data'
import { bootOptions, type Get, members, notFound, type Schema } from '#runtime'

export const schema = collection('BootOption') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine }) => {
  entry(machine.board.systems, params.ComputerSystemId) ?? notFound()
  return {
    Name: 'Boot options',
    ...members(
      uri,
      bootOptions(machine, params.ComputerSystemId).map((each) => each.reference)
    )
  }
}
