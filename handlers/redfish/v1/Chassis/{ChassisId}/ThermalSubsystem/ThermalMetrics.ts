import { resource } from '#data/resource'
import { excerpt, excerpts, showExcerpt, showExcerpts } from '#data/sensors'
import type { Get, Schema } from '#runtime/contract'

export const schema = {
  title: '#ThermalMetrics.v1_3_1.ThermalMetrics',
  description: 'Temperatures in short',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    TemperatureReadingsCelsius: excerpts,
    TemperatureSummaryCelsius: {
      type: 'object',
      properties: { Exhaust: excerpt, Intake: excerpt, Internal: excerpt }
    }
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** By its parts of a chassis (DSP0268, PhysicalContext). */
const summary = { Exhaust: 'Exhaust', Intake: 'Intake', Internal: 'SystemBoard' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, machine }) => {
  const { temperatures } = machine.chassis(params.ChassisId)
  const found = Object.entries(summary).flatMap(([name, part]) => {
    const sensor = temperatures.find(({ context }) => context === part)
    return sensor === undefined ? [] : [[name, showExcerpt(machine, params.ChassisId, sensor)]]
  })
  return {
    TemperatureReadingsCelsius: showExcerpts(machine, params.ChassisId, temperatures),
    TemperatureSummaryCelsius: Object.fromEntries(found)
  }
}
