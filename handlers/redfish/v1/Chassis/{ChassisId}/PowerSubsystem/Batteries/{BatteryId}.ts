import { entry } from '#data/board'
import { number, resource, status, text } from '#data/resource'
import { type Get, notFound, type Schema } from '#runtime/contract'

export const schema = {
  title: '#Battery.v1_5_0.Battery',
  description: 'A battery that bridges a loss of power',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    CapacityRatedWattHours: number,
    FirmwareVersion: text,
    Manufacturer: text,
    Model: text,
    PartNumber: text,
    SerialNumber: text,
    Status: status
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId' | 'BatteryId'> = ({ params, machine }) => {
  const { batteries = {} } = machine.chassis(params.ChassisId)
  const battery = entry(batteries, params.BatteryId) ?? notFound()
  return {
    Name: battery.name,
    CapacityRatedWattHours: battery.capacityWattHours,
    FirmwareVersion: battery.firmwareVersion,
    Manufacturer: battery.manufacturer,
    Model: battery.model,
    PartNumber: battery.partNumber,
    SerialNumber: machine.serialNumber(battery)
  }
}
