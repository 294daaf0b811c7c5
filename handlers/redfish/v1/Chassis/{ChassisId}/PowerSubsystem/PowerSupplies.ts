import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('PowerSupply')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine }) => {
  const { powerSupplies } = machine.chassis(params.ChassisId)
  const ids = powerSupplies.map(({ bay }) => String(bay))
  return { Name: 'Power supplies', ...members(uri, ids) }
}
