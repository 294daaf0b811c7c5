import { totalSensorsOf } from '#data/power'
import { collection } from '#data/resource'
import { boardSensors } from '#data/sensors'
import { type Get, members } from '#runtime/contract'

export const schema = collection('Sensor')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine }) => {
  const chassis = machine.chassis(params.ChassisId)
  const ids = [...boardSensors(chassis).map(({ id }) => id), ...totalSensorsOf(chassis)]
  return { Name: 'Sensors', ...members(uri, ids) }
}
