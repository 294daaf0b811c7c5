import { location, number, reference, resource, status, text } from '#data/resource'
import { findPowerSupply, sensorState } from '#data/sensors'
import { type Get, link, type Schema } from '#runtime/contract'

export const schema = {
  title: '#PowerSupply.v1_6_0.PowerSupply',
  description: 'A power supply',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    FirmwareVersion: text,
    Location: location,
    Metrics: reference,
    Model: text,
    PartNumber: text,
    PowerCapacityWatts: number,
    PowerSupplyType: { type: 'string', enum: ['AC'], nullable: true, readonly: true },
    SerialNumber: text,
    Status: status
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId' | 'PowerSupplyId'> = ({ params, uri, machine }) => {
  const supply = findPowerSupply(machine, params.ChassisId, params.PowerSupplyId)
  return {
    Name: `Power supply ${supply.bay}`,
    FirmwareVersion: supply.firmwareVersion,
    Location: { PartLocation: { ServiceLabel: `Bay ${supply.bay}` } },
    Metrics: link(`${uri}/Metrics`),
    Model: supply.model,
    PartNumber: supply.partNumber,
    PowerCapacityWatts: supply.capacityWatts,
    PowerSupplyType: 'AC',
    SerialNumber: machine.serialNumber(supply),
    Status: sensorState(machine.reading(params.ChassisId, supply.output.number))
  }
}
