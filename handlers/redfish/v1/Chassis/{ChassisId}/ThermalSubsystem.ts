import { redundancyGroups, showRedundancy } from '#data/health'
import { reference, resource, status } from '#data/resource'
import { fanUri } from '#data/sensors'
import { type Get, link, type Schema } from '#runtime/contract'

export const schema = {
  title: '#ThermalSubsystem.v1_3_2.ThermalSubsystem',
  description: 'Cooling',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    FanRedundancy: redundancyGroups,
    Fans: reference,
    Status: status,
    ThermalMetrics: reference
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine, health }) => {
  const fans = machine.chassis(params.ChassisId).fans.map(({ number }) => fanUri(params.ChassisId, number))
  return {
    FanRedundancy: showRedundancy(health, uri, fans),
    Fans: link(`${uri}/Fans`),
    ThermalMetrics: link(`${uri}/ThermalMetrics`)
  }
}
