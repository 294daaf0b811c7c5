import {
  changePowerLimit,
  controlWish,
  powerLimitExcerpt,
  showPowerLimit,
  showTotals,
  totalExcerpt,
  totalPower
} from '#data/power'
import { actions, oem, resource } from '#data/resource'
import { excerpt, excerpts, showExcerpt, showExcerpts } from '#data/sensors'
import { historyLink } from '#data/telemetry'
import type { Get, Patch } from '#runtime/contract'

export const schema = resource('EnvironmentMetrics.v1_3_1', 'Power and temperature in short', {
  Actions: actions({ 'EnvironmentMetrics.ResetMetrics': {} }),
  EnergykWh: totalExcerpt,
  FanSpeedsPercent: excerpts,
  PowerLimitWatts: powerLimitExcerpt,
  PowerWatts: totalExcerpt,
  TemperatureCelsius: excerpt,
  Oem: oem('VendorEnvironmentMetrics.v1_0_0', { SensorHistory: historyLink })
})

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

/** The temperature is that of the air that comes in. */
export const GET: Get<typeof schema, 'ChassisId'> = ({ params, machine, state, energy }) => {
  const id = params.ChassisId
  const { fans, temperatures } = machine.chassis(id)
  const intake = temperatures.find(({ context }) => context === 'Intake')
  return {
    FanSpeedsPercent: showExcerpts(machine, id, fans),
    ...showPowerLimit(machine, state, id, totalPower(machine, id) ?? null),
    ...showTotals({ machine, energy }, id),
    ...(intake !== undefined && { TemperatureCelsius: showExcerpt(machine, id, intake) }),
    Oem: { Vendor: {} }
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
