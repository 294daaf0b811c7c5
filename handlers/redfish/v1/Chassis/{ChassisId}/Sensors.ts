import { entry } from '#data/board'
import { collection } from '#data/resource'
import { boardSensors } from '#data/sensors'
import { type Get, members, notFound, type Schema } from '#runtime/contract'

export const schema = collection('Sensor') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine }) => {
  const chassis = entry(machine.board.chassis, params.ChassisId) ?? notFound()
  const ids = boardSensors(chassis).map(({ number }) => String(number))
  return { Name: 'Sensors', ...members(uri, ids) }
}
