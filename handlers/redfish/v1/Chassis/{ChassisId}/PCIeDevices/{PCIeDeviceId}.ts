import { entry, pcieGenerations } from '#data/board'
import { asset, child, integer, label, location, resource, status, text } from '#data/resource'
import { type Get, notFound, object } from '#runtime/contract'

const generation = { type: 'string', enum: pcieGenerations, nullable: true, readonly: true } as const

export const schema = resource('PCIeDevice.v1_16_0', 'A PCIe device', {
  ...asset,
  ...label,
  DeviceType: { type: 'string', enum: ['SingleFunction', 'MultiFunction'], readonly: true },
  FirmwareVersion: text,
  PCIeFunctions: child('PCIeFunctions'),
  PCIeInterface: object({ LanesInUse: integer, PCIeType: generation }),
  Slot: object({ Location: location, PCIeType: generation }),
  Status: status
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId' | 'PCIeDeviceId'> = ({ params, machine }) => {
  const { pcieDevices, pcieSlots } = machine.chassis(params.ChassisId)
  const device = entry(pcieDevices, params.PCIeDeviceId) ?? notFound()
  const slot = pcieSlots.find((each) => each.device === params.PCIeDeviceId)
  const place = slot?.label ?? device.serviceLabel
  return {
    Name: device.name,
    DeviceType: device.functions.length > 1 ? 'MultiFunction' : 'SingleFunction',
    FirmwareVersion: device.firmwareVersion,
    ...machine.label(device),
    PCIeInterface: { LanesInUse: device.lanes, PCIeType: device.generation },
    ...(place && { Slot: { Location: { PartLocation: { ServiceLabel: place } }, PCIeType: slot?.generation } })
  }
}
