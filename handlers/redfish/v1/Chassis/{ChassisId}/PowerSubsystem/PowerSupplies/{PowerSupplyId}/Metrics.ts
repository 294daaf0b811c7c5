import { inputVolts } from '#data/health'
import { number, resource } from '#data/resource'
import { excerpt, findPowerSupply, showExcerpt } from '#data/sensors'
import type { Get, Schema } from '#runtime/contract'

export const schema = {
  title: '#PowerSupplyMetrics.v1_1_2.PowerSupplyMetrics',
  description: 'Input and output of a power supply',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    InputVoltage: { type: 'object', properties: { Reading: number } },
    OutputPowerWatts: excerpt
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId' | 'PowerSupplyId'> = ({ params, machine, state }) => {
  const supply = findPowerSupply(machine, params.ChassisId, params.PowerSupplyId)
  return {
    InputVoltage: { Reading: inputVolts(state, params.ChassisId, supply) },
    OutputPowerWatts: showExcerpt(machine, params.ChassisId, supply.output)
  }
}
