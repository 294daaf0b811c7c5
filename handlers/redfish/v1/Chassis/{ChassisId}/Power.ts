import { inputVolts } from '#data/health'
import {
  changePowerLimit,
  legacyPowerLimit,
  legacyPowerMetrics,
  showLegacyPowerLimit,
  showPowerMetrics
} from '#data/power'
import { arrayMember, integer, number, resource, showArrayMember, status, text } from '#data/resource'
import { powerSubsystemUri, powerSupplyName, powerSupplyState, powerSupplyUri, sumOfReadings } from '#data/sensors'
import { type Get, list, object, type Patch } from '#runtime/contract'

export const schema = resource('Power.v1_7_3', 'Power supplies, voltages and consumption', {
  PowerControl: {
    type: 'array',
    items: object(['MemberId'], {
      ...arrayMember,
      Name: text,
      PowerCapacityWatts: number,
      PowerConsumedWatts: number,
      PowerLimit: legacyPowerLimit,
      PowerMetrics: legacyPowerMetrics,
      Status: status
    }),
    maxItems: 1,
    readonly: false
  },
  PowerSupplies: list(
    object(['MemberId'], {
      ...arrayMember,
      Name: text,
      FirmwareVersion: text,
      LastPowerOutputWatts: number,
      PowerInputWatts: number,
      LineInputVoltage: number,
      Model: text,
      PartNumber: text,
      PowerCapacityWatts: number,
      PowerSupplyType: { type: 'string', enum: ['AC'], nullable: true, readonly: true },
      SerialNumber: text,
      Status: status
    })
  ),
  'PowerSupplies@odata.count': integer
})

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine, state, health, powerMetrics }) => {
  const { powerSupplies } = machine.chassis(params.ChassisId)
  const watts = powerSupplies.map(({ output }) => output && machine.reading(params.ChassisId, output.number))
  return {
    PowerControl: [
      {
        ...showArrayMember(uri, 'PowerControl', 0),
        Name: 'Power of the chassis',
        PowerCapacityWatts: sumOfReadings(powerSupplies.map(({ capacityWatts }) => capacityWatts)) ?? null,
        PowerConsumedWatts: sumOfReadings(watts) ?? null,
        PowerLimit: showLegacyPowerLimit(machine, state, params.ChassisId),
        ...showPowerMetrics(powerMetrics(params.ChassisId)),
        Status: health(powerSubsystemUri(params.ChassisId))
      }
    ],
    PowerSupplies: powerSupplies.map((supply, index) => ({
      ...showArrayMember(uri, 'PowerSupplies', index),
      Name: powerSupplyName(supply),
      FirmwareVersion: supply.firmwareVersion,
      [supply.measures === 'Input' ? ('PowerInputWatts' as const) : ('LastPowerOutputWatts' as const)]:
        watts[index] ?? null,
      LineInputVoltage: inputVolts(state, params.ChassisId, supply),
      Model: supply.model,
      PartNumber: supply.partNumber,
      PowerCapacityWatts: supply.capacityWatts,
      PowerSupplyType: 'AC' as const,
      SerialNumber: machine.serialNumber(supply),
      Status: health(powerSupplyUri(params.ChassisId, supply), powerSupplyState(machine, params.ChassisId, supply))
    })),
    'PowerSupplies@odata.count': powerSupplies.length
  }
}

export const PATCH: Patch<typeof schema, 'ChassisId'> = (context) => {
  const { params, body, machine } = context
  machine.chassis(params.ChassisId)
  const { LimitInWatts: watts, LimitException, CorrectionInMs } = body.PowerControl?.[0]?.PowerLimit ?? {}
  const wish = { watts, exception: LimitException ?? undefined, correction: CorrectionInMs ?? undefined }
  return changePowerLimit(context, params.ChassisId, wish, 'PowerControl/0/PowerLimit/LimitInWatts')
}
