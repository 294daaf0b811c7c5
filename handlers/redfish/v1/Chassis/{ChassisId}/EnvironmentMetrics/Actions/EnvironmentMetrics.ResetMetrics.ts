import { done, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** Of all sensors of the chassis. */
export const POST: Post<typeof body, 'ChassisId'> = ({ params, machine }) => {
  machine.chassis(params.ChassisId)
  return done([{ kind: 'resetMetrics', chassis: params.ChassisId }])
}
