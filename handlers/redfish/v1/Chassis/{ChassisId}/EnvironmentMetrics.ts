import { changePowerLimit, controlWish, powerLimitExcerpt, showPowerLimit } from '#data/power'
import { number, resource } from '#data/resource'
import { excerpt, excerpts, showExcerpt, showExcerpts, sumOfReadings } from '#data/sensors'
import type { Get, Patch, Schema } from '#runtime/contract'

export const schema = {
  title: '#EnvironmentMetrics.v1_3_1.EnvironmentMetrics',
  description: 'Power and temperature in short',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    FanSpeedsPercent: excerpts,
    PowerLimitWatts: powerLimitExcerpt,
    PowerWatts: { type: 'object', properties: { Reading: number } },
    TemperatureCelsius: excerpt
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

/** The temperature is that of the air that comes in. */
export const GET: Get<typeof schema, 'ChassisId'> = ({ params, machine, state }) => {
  const id = params.ChassisId
  const { fans, powerSupplies, temperatures } = machine.chassis(id)
  const intake = temperatures.find(({ context }) => context === 'Intake')
  const watts = sumOfReadings(powerSupplies.map(({ output }) => machine.reading(id, output.number))) ?? null
  return {
    FanSpeedsPercent: showExcerpts(machine, id, fans),
    ...showPowerLimit(machine, state, id, watts),
    ...(powerSupplies.length > 0 && { PowerWatts: { Reading: watts } }),
    ...(intake !== undefined && { TemperatureCelsius: showExcerpt(machine, id, intake) })
  }
}

export const PATCH: Patch<typeof schema, 'ChassisId'> = (context) => {
  const { params, body, machine } = context
  machine.chassis(params.ChassisId)
  return changePowerLimit(
    context,
    params.ChassisId,
    controlWish(body.PowerLimitWatts ?? {}),
    'PowerLimitWatts/SetPoint'
  )
}
