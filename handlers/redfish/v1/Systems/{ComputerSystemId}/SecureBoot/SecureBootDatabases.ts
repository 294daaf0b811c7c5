import { collection, entry, secureBootDatabases } from '#data'
import { type Get, members, notFound, type Schema } from '#runtime'

export const schema = collection('SecureBootDatabase') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine }) => {
  entry(machine.board.systems, params.ComputerSystemId) ?? notFound()
  return {
    Name: 'Secure boot databases',
    ...members(
      uri,
      secureBootDatabases.map((each) => each.id)
    )
  }
}
