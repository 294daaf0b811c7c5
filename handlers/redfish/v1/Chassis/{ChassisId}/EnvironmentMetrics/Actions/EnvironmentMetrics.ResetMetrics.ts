import { done, type Parameters, type Post } from '#runtime/contract'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** Of all sensors of the chassis. */
export const POST: Post<typeof body, 'ChassisId'> = ({ params, machine }) => {
  machine.chassis(params.ChassisId)
  return done([{ kind: 'resetMetrics', chassis: params.ChassisId }])
}
