import { child, label, location, number, resource, status, text } from '#data/resource'
import { findPowerSupply, powerSupplyName, powerSupplyState } from '#data/sensors'
import type { Get } from '#runtime/contract'

export const schema = resource('PowerSupply.v1_6_0', 'A power supply', {
  ...label,
  FirmwareVersion: text,
  Location: location,
  Metrics: child('Metrics'),
  PowerCapacityWatts: number,
  PowerSupplyType: { type: 'string', enum: ['AC'], nullable: true, readonly: true },
  ProductionDate: { type: 'string', format: 'date-time', nullable: true, readonly: true },
  Status: status
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId' | 'PowerSupplyId'> = ({ params, machine }) => {
  const supply = findPowerSupply(machine, params.ChassisId, params.PowerSupplyId)
  return {
    Name: powerSupplyName(supply),
    ...machine.label(supply),
    FirmwareVersion: supply.firmwareVersion,
    Location: { PartLocation: { ServiceLabel: supply.serviceLabel ?? `Bay ${supply.bay}` } },
    PowerCapacityWatts: supply.capacityWatts,
    PowerSupplyType: 'AC',
    ProductionDate: supply.productionDate,
    Status: powerSupplyState(machine, params.ChassisId, supply)
  }
}
