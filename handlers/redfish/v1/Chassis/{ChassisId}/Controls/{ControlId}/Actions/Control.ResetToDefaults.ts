import { findPowerRange, resetPowerLimit } from '#data/power'
import { object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ChassisId' | 'ControlId'> = ({ params, machine }) => {
  findPowerRange(machine, params)
  return resetPowerLimit(params.ChassisId)
}
