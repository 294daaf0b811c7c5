import { entry } from '#data/board'
import { collection } from '#data/resource'
import { type Get, members, notFound, type Schema } from '#runtime/contract'

export const schema = collection('Certificate') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId'> = ({ params, uri, machine }) => {
  entry(machine.board.managers, params.ManagerId) ?? notFound()
  return { Name: 'Certificates of the service', ...members(uri, ['1']) }
}
