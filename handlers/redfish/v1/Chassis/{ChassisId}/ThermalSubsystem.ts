import { redundancyGroups, showRedundancy } from '#data/health'
import { reference, resource, status } from '#data/resource'
import { fanUri } from '#data/sensors'
import { type Get, link } from '#runtime/contract'

export const schema = resource('ThermalSubsystem.v1_3_2', 'Cooling', {
  FanRedundancy: redundancyGroups,
  Fans: reference,
  Status: status,
  ThermalMetrics: reference
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine, health }) => {
  const fans = machine.chassis(params.ChassisId).fans.map(({ number }) => fanUri(params.ChassisId, number))
  return {
    FanRedundancy: showRedundancy(health, uri, fans),
    Fans: link(`${uri}/Fans`),
    ThermalMetrics: link(`${uri}/ThermalMetrics`)
  }
}
