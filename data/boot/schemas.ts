import { bootTargets } from '#data/board'
import { reference } from '#data/resource'
import { bootOverrides } from '#data/system'

/** Parts of a system's schema (DSP0268, ComputerSystem). */

const allowable = { type: 'array', items: { type: 'string' }, readonly: true } as const

/** `Boot`: what the host boots from. */
export const bootSettings = {
  type: 'object',
  properties: {
    BootOptions: reference,
    BootOrder: { type: 'array', items: { type: 'string' }, readonly: false },
    BootSourceOverrideEnabled: { type: 'string', enum: bootOverrides, readonly: false },
    'BootSourceOverrideEnabled@Redfish.AllowableValues': allowable,
    BootSourceOverrideMode: { type: 'string', enum: ['UEFI'], readonly: false },
    'BootSourceOverrideMode@Redfish.AllowableValues': allowable,
    BootSourceOverrideTarget: { type: 'string', enum: bootTargets, readonly: false },
    'BootSourceOverrideTarget@Redfish.AllowableValues': allowable,
    UefiTargetBootSourceOverride: { type: 'string', nullable: true, readonly: false },
    'UefiTargetBootSourceOverride@Redfish.AllowableValues': allowable
  }
} as const
