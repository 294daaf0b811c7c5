import { redundancyGroups, showRedundancy } from '#data/health'
import { child, resource, status } from '#data/resource'
import { fanUri } from '#data/sensors'
import type { Get } from '#runtime/contract'

export const schema = resource('ThermalSubsystem.v1_3_2', 'Cooling', {
  FanRedundancy: redundancyGroups,
  Fans: child('Fans'),
  Status: status,
  ThermalMetrics: child('ThermalMetrics')
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine, health }) => {
  const fans = machine.chassis(params.ChassisId).fans.map((fan) => fanUri(params.ChassisId, fan))
  return {
    FanRedundancy: showRedundancy(health, uri, fans)
  }
}
