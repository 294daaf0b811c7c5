import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('PCIeDevice')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine }) => {
  const { pcieDevices } = machine.chassis(params.ChassisId)
  return { Name: 'PCIe devices', ...members(uri, Object.keys(pcieDevices)) }
}
