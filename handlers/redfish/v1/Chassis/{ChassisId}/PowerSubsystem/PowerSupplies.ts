import { collection } from '#data/resource'
import { powerSupplyId } from '#data/sensors'
import { type Get, members } from '#runtime/contract'

export const schema = collection('PowerSupply')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine }) => {
  const { powerSupplies } = machine.chassis(params.ChassisId)
  return { Name: 'Power supplies', ...members(uri, powerSupplies.map(powerSupplyId)) }
}
