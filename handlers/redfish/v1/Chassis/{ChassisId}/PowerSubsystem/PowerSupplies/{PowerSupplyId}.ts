import { child, location, number, resource, status, text } from '#data/resource'
import { findPowerSupply, sensorState } from '#data/sensors'
import type { Get } from '#runtime/contract'

export const schema = resource('PowerSupply.v1_6_0', 'A power supply', {
  FirmwareVersion: text,
  Location: location,
  Metrics: child('Metrics'),
  Model: text,
  PartNumber: text,
  PowerCapacityWatts: number,
  PowerSupplyType: { type: 'string', enum: ['AC'], nullable: true, readonly: true },
  SerialNumber: text,
  Status: status
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId' | 'PowerSupplyId'> = ({ params, machine }) => {
  const supply = findPowerSupply(machine, params.ChassisId, params.PowerSupplyId)
  return {
    Name: `Power supply ${supply.bay}`,
    FirmwareVersion: supply.firmwareVersion,
    Location: { PartLocation: { ServiceLabel: `Bay ${supply.bay}` } },
    Model: supply.model,
    PartNumber: supply.partNumber,
    PowerCapacityWatts: supply.capacityWatts,
    PowerSupplyType: 'AC',
    SerialNumber: machine.serialNumber(supply),
    Status: sensorState(machine.reading(params.ChassisId, supply.output.number))
  }
}
