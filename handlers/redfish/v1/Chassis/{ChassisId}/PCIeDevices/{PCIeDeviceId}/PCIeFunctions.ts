import { entry } from '#data/board'
import { collection } from '#data/resource'
import { type Get, members, notFound } from '#runtime/contract'

export const schema = collection('PCIeFunction')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId' | 'PCIeDeviceId'> = ({ params, uri, machine }) => {
  const { pcieDevices } = machine.chassis(params.ChassisId)
  const { functions } = entry(pcieDevices, params.PCIeDeviceId) ?? notFound()
  return { Name: 'PCIe functions', ...members(uri, Object.keys(functions)) }
}
