import { entry } from '#data/board'
import { collection } from '#data/resource'
import { secureBootDatabases } from '#data/secure-boot'
import { type Get, members, notFound, type Schema } from '#runtime/contract'

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
