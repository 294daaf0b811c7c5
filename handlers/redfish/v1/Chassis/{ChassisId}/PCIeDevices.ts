import { entry } from '#data/board'
import { collection } from '#data/resource'
import { type Get, members, notFound, type Schema } from '#runtime/contract'

export const schema = collection('PCIeDevice') satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine }) => {
  const { pcieDevices } = entry(machine.board.chassis, params.ChassisId) ?? notFound()
  return { Name: 'PCIe devices', ...members(uri, Object.keys(pcieDevices)) }
}
