import { alertTypes, sensorTypes, thermalUri, thresholdKey } from '#data/sensors'
import { deferred, event, fail, object, type Post } from '#runtime/contract'

export const body = object(['SensorNumber', 'ThresholdValue', 'AlertType'], {
  SensorNumber: { type: 'integer' },
  ThresholdValue: { type: 'number', minimum: 0 },
  AlertType: { type: 'string', enum: alertTypes }
})

export const privileges = { POST: 'MgmtConfigPriv' } as const

const action = 'VendorThermalExt.SetUserTempThreshold'

/** Takes effect when the controller starts next. */
export const POST: Post<typeof body, 'ChassisId'> = ({ params, body, machine, state }) => {
  const { temperatures } = machine.chassis(params.ChassisId)
  const { SensorNumber, ThresholdValue, AlertType } = body
  const temperature = temperatures.find(({ number }) => number === SensorNumber)
  if (temperature === undefined) {
    return fail(400, 'Base.ActionParameterValueNotInList', String(SensorNumber), 'SensorNumber', action)
  }
  // Beyond it the machine has switched itself off.
  if (ThresholdValue > (temperature.fatal ?? sensorTypes.temperature.range[1])) {
    fail(400, 'Base.ActionParameterValueOutOfRange', String(ThresholdValue), 'ThresholdValue', action)
  }
  const key = thresholdKey(params.ChassisId, SensorNumber, AlertType)
  const { effective = null } = state.get('temperatureThreshold', key) ?? {}
  const args = [temperature.name, AlertType, String(ThresholdValue)] as const
  return {
    ...deferred({ temperatureThreshold: { [key]: { effective, pending: ThresholdValue } } }),
    events: [event('MgmtEvents.TemperatureThresholdSet', thermalUri(params.ChassisId), ...args)]
  }
}
