import { temperatureContexts } from '#data/board'
import { actions, arrayMember, integer, number, oem, resource, showArrayMember, status, text } from '#data/resource'
import {
  type AlertType,
  boardSensors,
  fanUri,
  legacyThresholds,
  sensorId,
  sensorState,
  sensorTypes,
  sensorUri,
  showLegacyThresholds,
  type TemperatureThreshold,
  thresholdKey,
  thresholdsOf
} from '#data/sensors'
import { type Get, list, object } from '#runtime/contract'
import { body as userThreshold } from './Thermal/Actions/Oem/Vendor/VendorThermalExt.SetUserTempThreshold.ts'

/**
 * Thresholds that users set: `ThresholdValue` is in effect, `PendingThresholdValue` takes effect when the controller
 * restarts.
 */
const userThresholds = list(object({ PendingThresholdValue: number, SensorNumber: integer, ThresholdValue: number }))

export const schema = resource('Thermal.v1_7_3', 'Temperatures and fans', {
  Fans: list(
    object(['MemberId'], {
      ...arrayMember,
      MaxReadingRange: integer,
      MinReadingRange: integer,
      Name: text,
      Reading: integer,
      ReadingUnits: { type: 'string', enum: ['Percent'], nullable: true, readonly: true },
      SensorNumber: integer,
      Status: status,
      ...legacyThresholds
    })
  ),
  'Fans@odata.count': integer,
  Temperatures: list(
    object(['MemberId'], {
      ...arrayMember,
      MaxReadingRangeTemp: number,
      MinReadingRangeTemp: number,
      Name: text,
      PhysicalContext: { type: 'string', enum: temperatureContexts, readonly: true },
      ReadingCelsius: number,
      SensorNumber: integer,
      Status: status,
      ...legacyThresholds
    })
  ),
  'Temperatures@odata.count': integer,
  Oem: oem('VendorThermalExt.v1_0_0', {
    Actions: actions({ 'VendorThermalExt.SetUserTempThreshold': userThreshold }),
    CriticalUserTempThresholds: userThresholds,
    WarningUserTempThresholds: userThresholds
  })
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine, state, health }) => {
  const chassis = params.ChassisId
  const { fans, temperatures } = machine.chassis(chassis)
  const sensors = boardSensors(machine.chassis(chassis))
  const limits = (number: number) => thresholdsOf(state, chassis, sensors.find((each) => each.number === number)!)
  const set = (alert: AlertType) =>
    temperatures.flatMap(({ number }) => {
      const threshold = state.get('temperatureThreshold', thresholdKey(chassis, number, alert))
      return threshold === undefined ? [] : [{ number, ...threshold }]
    })
  const users = { Warning: set('Warning'), Critical: set('Critical') }
  return {
    Fans: fans.map((fan, index) => {
      const reading = machine.reading(chassis, fan.number)
      return {
        ...showArrayMember(uri, 'Fans', index),
        MaxReadingRange: sensorTypes.fan.range[1],
        MinReadingRange: sensorTypes.fan.range[0],
        Name: fan.name,
        Reading: reading ?? null,
        ReadingUnits: 'Percent' as const,
        SensorNumber: fan.number,
        Status: health(fanUri(chassis, fan), sensorState(reading)),
        ...showLegacyThresholds(limits(fan.number))
      }
    }),
    'Fans@odata.count': fans.length,
    Temperatures: temperatures.map((temperature, index) => {
      const { number } = temperature
      const reading = machine.reading(chassis, number)
      return {
        ...showArrayMember(uri, 'Temperatures', index),
        MaxReadingRangeTemp: sensorTypes.temperature.range[1],
        MinReadingRangeTemp: sensorTypes.temperature.range[0],
        Name: temperature.name,
        ...(temperature.context !== undefined && { PhysicalContext: temperature.context }),
        ReadingCelsius: reading ?? null,
        SensorNumber: number,
        Status: health(sensorUri(chassis, sensorId(temperature)), sensorState(reading)),
        ...showLegacyThresholds(limits(number))
      }
    }),
    'Temperatures@odata.count': temperatures.length,
    Oem: {
      Vendor: {
        ...(users.Critical.length > 0 && { CriticalUserTempThresholds: users.Critical.map(showThreshold) }),
        ...(users.Warning.length > 0 && { WarningUserTempThresholds: users.Warning.map(showThreshold) })
      }
    }
  }
}

function showThreshold({ number, effective, pending }: TemperatureThreshold & { number: number }) {
  return { PendingThresholdValue: pending, SensorNumber: number, ThresholdValue: effective }
}
