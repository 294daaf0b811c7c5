import { reference, resource, status } from '#data/resource'
import { type Get, link, type Schema } from '#runtime/contract'

export const schema = {
  title: '#ThermalSubsystem.v1_3_2.ThermalSubsystem',
  description: 'Cooling',
  type: 'object',
  required: resource.required,
  properties: { ...resource.properties, Fans: reference, Status: status, ThermalMetrics: reference }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine }) => {
  machine.chassis(params.ChassisId)
  return {
    Fans: link(`${uri}/Fans`),
    ThermalMetrics: link(`${uri}/ThermalMetrics`)
  }
}
