import { entry } from '#data/board'
import { number, resource, status, text } from '#data/resource'
import { type Get, notFound } from '#runtime/contract'

export const schema = resource('Battery.v1_5_0', 'A battery that bridges a loss of power', {
  CapacityRatedWattHours: number,
  FirmwareVersion: text,
  Manufacturer: text,
  Model: text,
  PartNumber: text,
  SerialNumber: text,
  Status: status
})

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
