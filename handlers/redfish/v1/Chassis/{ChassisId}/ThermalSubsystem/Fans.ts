import { collection } from '#data/resource'
import { fanId } from '#data/sensors'
import { type Get, members } from '#runtime/contract'

export const schema = collection('Fan')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine }) => {
  const { fans } = machine.chassis(params.ChassisId)
  return { Name: 'Fans', ...members(uri, fans.map(fanId)) }
}
