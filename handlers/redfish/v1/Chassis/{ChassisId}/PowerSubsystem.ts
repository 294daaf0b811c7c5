import { redundancyGroups, showRedundancy } from '#data/health'
import { child, number, reference, resource, status } from '#data/resource'
import { powerSupplyUri, sumOfReadings } from '#data/sensors'
import { type Get, link } from '#runtime/contract'

export const schema = resource('PowerSubsystem.v1_1_2', 'Power supplies and what they may give', {
  Batteries: reference,
  CapacityWatts: number,
  PowerSupplies: child('PowerSupplies'),
  PowerSupplyRedundancy: redundancyGroups,
  Status: status
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine, health }) => {
  const { batteries, powerSupplies } = machine.chassis(params.ChassisId)
  return {
    ...(batteries && { Batteries: link(`${uri}/Batteries`) }),
    CapacityWatts: sumOfReadings(powerSupplies.map(({ capacityWatts }) => capacityWatts)) ?? null,
    PowerSupplyRedundancy: showRedundancy(
      health,
      uri,
      powerSupplies.map((supply) => powerSupplyUri(params.ChassisId, supply))
    )
  }
}
