import { redundancyGroups, showRedundancy } from '#data/health'
import { number, reference, resource, status } from '#data/resource'
import { powerSupplyUri, sumOfReadings } from '#data/sensors'
import { type Get, link, type Schema } from '#runtime/contract'

export const schema = {
  title: '#PowerSubsystem.v1_1_2.PowerSubsystem',
  description: 'Power supplies and what they may give',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    Batteries: reference,
    CapacityWatts: number,
    PowerSupplies: reference,
    PowerSupplyRedundancy: redundancyGroups,
    Status: status
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine, health }) => {
  const { batteries, powerSupplies } = machine.chassis(params.ChassisId)
  return {
    ...(batteries && { Batteries: link(`${uri}/Batteries`) }),
    CapacityWatts: sumOfReadings(powerSupplies.map(({ capacityWatts }) => capacityWatts)) ?? null,
    PowerSupplies: link(`${uri}/PowerSupplies`),
    PowerSupplyRedundancy: showRedundancy(
      health,
      uri,
      powerSupplies.map(({ bay }) => powerSupplyUri(params.ChassisId, bay))
    )
  }
}
