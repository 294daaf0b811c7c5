import { findPowerRange, resetPowerLimit } from '#data/power'
import type { Parameters, Post } from '#runtime/contract'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ChassisId' | 'ControlId'> = ({ params, machine }) => {
  findPowerRange(machine, params)
  return resetPowerLimit(params.ChassisId)
}
