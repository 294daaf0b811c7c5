import { collection } from '#data/resource'
import { type Get, members, notFound } from '#runtime/contract'

export const schema = collection('Battery')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine }) => {
  const { batteries } = machine.chassis(params.ChassisId)
  return { Name: 'Batteries', ...members(uri, Object.keys(batteries ?? notFound())) }
}
