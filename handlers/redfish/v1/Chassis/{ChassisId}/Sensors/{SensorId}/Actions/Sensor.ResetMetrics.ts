import { findSensor } from '#data/power'
import { done, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: 'MgmtConfigPriv' } as const

export const POST: Post<typeof body, 'ChassisId' | 'SensorId'> = (context) => {
  const found = findSensor(context)
  const sensor = typeof found === 'string' ? found : found.number
  return done([{ kind: 'resetMetrics', chassis: context.params.ChassisId, sensor }])
}
