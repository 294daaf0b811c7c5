import {
  changePowerLimit,
  controlWish,
  findPowerRange,
  powerLimitControl,
  powerLimitOf,
  showControl
} from '#data/power'
import { actions, number, resource, status, text } from '#data/resource'
import type { Get, Patch } from '#runtime/contract'

export const schema = resource('Control.v1_3_0', 'A limit of the power', {
  ...powerLimitControl,
  Actions: actions({ 'Control.ResetToDefaults': {} }),
  ControlType: { type: 'string', enum: ['Power'], nullable: true, readonly: true },
  DefaultSetPoint: number,
  Implementation: { type: 'string', enum: ['Programmable'], nullable: true, readonly: true },
  PhysicalContext: { type: 'string', enum: ['Chassis'], nullable: true, readonly: true },
  SetPointType: { type: 'string', enum: ['Single'], nullable: true, readonly: true },
  SetPointUnits: text,
  Status: status
})

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

export const GET: Get<typeof schema, 'ChassisId' | 'ControlId'> = ({ params, machine, state }) => {
  const range = findPowerRange(machine, params)
  const limit = powerLimitOf(state, params.ChassisId)
  return {
    Name: 'Power limit',
    ...showControl(range, limit),
    ControlType: 'Power',
    DefaultSetPoint: range.maximum,
    Implementation: 'Programmable',
    PhysicalContext: 'Chassis',
    SetPointType: 'Single',
    SetPointUnits: 'W',
    Status: { State: limit.enabled ? 'Enabled' : 'Disabled' }
  }
}

export const PATCH: Patch<typeof schema, 'ChassisId' | 'ControlId'> = (context) => {
  const { params, body, machine } = context
  findPowerRange(machine, params)
  return changePowerLimit(context, params.ChassisId, controlWish(body), 'SetPoint')
}
