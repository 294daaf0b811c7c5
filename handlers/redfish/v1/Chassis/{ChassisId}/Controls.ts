import { collection } from '#data/resource'
import { type Get, members, type Schema } from '#runtime/contract'

export const schema = collection('Control') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** Nothing of a chassis is controlled by set points: no power supply takes a limit, and fans follow temperatures. */
export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine }) => {
  machine.chassis(params.ChassisId)
  return { Name: 'Controls', ...members(uri, []) }
}
