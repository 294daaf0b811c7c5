import { inputVolts } from '#data/health'
import { number, resource } from '#data/resource'
import { excerpt, findPowerSupply, showExcerpt } from '#data/sensors'
import { type Get, object } from '#runtime/contract'

export const schema = resource('PowerSupplyMetrics.v1_1_2', 'Input and output of a power supply', {
  InputVoltage: object({ Reading: number }),
  InputPowerWatts: excerpt,
  OutputPowerWatts: excerpt
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId' | 'PowerSupplyId'> = ({ params, machine, state }) => {
  const supply = findPowerSupply(machine, params.ChassisId, params.PowerSupplyId)
  return {
    InputVoltage: { Reading: inputVolts(state, params.ChassisId, supply) },
    ...(supply.output && {
      [`${supply.measures ?? 'Output'}PowerWatts` as const]: showExcerpt(machine, params.ChassisId, supply.output)
    })
  }
}
