import { number, resource } from '#data/resource'
import { excerpt, excerpts, showExcerpt, showExcerpts, sumOfReadings } from '#data/sensors'
import type { Get, Schema } from '#runtime/contract'

export const schema = {
  title: '#EnvironmentMetrics.v1_3_1.EnvironmentMetrics',
  description: 'Power and temperature in short',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    FanSpeedsPercent: excerpts,
    PowerWatts: { type: 'object', properties: { Reading: number } },
    TemperatureCelsius: excerpt
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** The temperature is that of the air that comes in. */
export const GET: Get<typeof schema, 'ChassisId'> = ({ params, machine }) => {
  const id = params.ChassisId
  const { fans, powerSupplies, temperatures } = machine.chassis(id)
  const intake = temperatures.find(({ context }) => context === 'Intake')
  const watts = powerSupplies.map(({ output }) => machine.reading(id, output.number))
  return {
    FanSpeedsPercent: showExcerpts(machine, id, fans),
    ...(watts.length > 0 && { PowerWatts: { Reading: sumOfReadings(watts) ?? null } }),
    ...(intake !== undefined && { TemperatureCelsius: showExcerpt(machine, id, intake) })
  }
}
