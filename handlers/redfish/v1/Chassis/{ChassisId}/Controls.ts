import { powerLimitId } from '#data/power'
import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('Control')

export const privileges = { GET: 'LoginPriv' } as const

/** Fans follow temperatures: a limit of the power is all that clients can set, if the board can hold one. */
export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine }) => {
  machine.chassis(params.ChassisId)
  const ids = machine.powerRange(params.ChassisId) === undefined ? [] : [powerLimitId]
  return { Name: 'Controls', ...members(uri, ids) }
}
