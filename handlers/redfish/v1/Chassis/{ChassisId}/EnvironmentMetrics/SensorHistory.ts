import { sensorHistory, showHistory } from '#data/telemetry'
import type { Get, Schema } from '#runtime/contract'

export const schema = sensorHistory satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** The samples of telemetry in steps, for charts. */
export const GET: Get<typeof schema, 'ChassisId'> = ({ params, machine, sensorHistory: history }) => {
  const id = params.ChassisId
  machine.chassis(id)
  return {
    Name: 'Sensor history',
    TenMinutes: showHistory(id, 'TenMinutes', history(id, 'TenMinutes')),
    Hour: showHistory(id, 'Hour', history(id, 'Hour')),
    Day: showHistory(id, 'Day', history(id, 'Day'))
  }
}
