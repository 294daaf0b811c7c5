import { reference, status, text } from './schemas.ts'
import { bootOverrides, bootTargets } from './systems.ts'

/** Parts of a system's schema (DSP0268, ComputerSystem). */

const allowable = { type: 'array', items: { type: 'string' }, readonly: true } as const

/** `Boot`: what the host boots from. */
export const bootSettings = {
  type: 'object',
  properties: {
    BootOptions: reference,
    BootOrder: { type: 'array', items: { type: 'string' }, readonly: false },
    BootSourceOverrideEnabled: { type: 'string', enum: bootOverrides, readonly: false },
    BootSourceOverrideMode: { type: 'string', enum: ['UEFI'], readonly: false },
    'BootSourceOverrideMode@Redfish.AllowableValues': allowable,
    BootSourceOverrideTarget: { type: 'string', enum: bootTargets, readonly: false },
    'BootSourceOverrideTarget@Redfish.AllowableValues': allowable,
    UefiTargetBootSourceOverride: { type: 'string', nullable: true, readonly: false },
    'UefiTargetBootSourceOverride@Redfish.AllowableValues': allowable
  }
} as const

export const memorySummary = {
  type: 'object',
  properties: { TotalSystemMemoryGiB: { type: 'number', nullable: true, readonly: true }, Status: status }
} as const

export const processorSummary = {
  type: 'object',
  properties: { Count: { type: 'integer', nullable: true, readonly: true }, Model: text, Status: status }
} as const

export const trustedModules = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      FirmwareVersion: text,
      InterfaceType: { type: 'string', enum: ['TPM2_0'], nullable: true, readonly: true },
      Status: status
    }
  }
} as const
