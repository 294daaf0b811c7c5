import { resource } from '#data/resource'
import { excerpt, excerpts, showExcerpt, showExcerpts } from '#data/sensors'
import { type Get, object } from '#runtime/contract'

export const schema = resource('ThermalMetrics.v1_3_1', 'Temperatures in short', {
  TemperatureReadingsCelsius: excerpts,
  TemperatureSummaryCelsius: object({ Exhaust: excerpt, Intake: excerpt, Internal: excerpt })
})

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
