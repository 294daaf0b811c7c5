import { bootTargets } from '#data/board'
import { child } from '#data/resource'
import { bootOverrideModes, bootOverrides, bootRetries, bootStops } from '#data/system'
import { list, object } from '#runtime/schema'

/** Parts of a system's schema (DSP0268, ComputerSystem). */

const allowable = list({ type: 'string' })

/** `Boot`: what the host boots from. */
export const bootSettings = object({
  AutomaticRetryAttempts: { type: 'integer', minimum: 1, maximum: 100, readonly: false },
  AutomaticRetryConfig: { type: 'string', enum: bootRetries, readonly: false },
  'AutomaticRetryConfig@Redfish.AllowableValues': allowable,
  BootOptions: child('BootOptions'),
  BootOrder: { type: 'array', items: { type: 'string' }, readonly: false },
  BootSourceOverrideEnabled: { type: 'string', enum: bootOverrides, nullable: true, readonly: false },
  'BootSourceOverrideEnabled@Redfish.AllowableValues': allowable,
  BootSourceOverrideMode: { type: 'string', enum: bootOverrideModes, nullable: true, readonly: false },
  'BootSourceOverrideMode@Redfish.AllowableValues': allowable,
  BootSourceOverrideTarget: { type: 'string', enum: bootTargets, nullable: true, readonly: false },
  'BootSourceOverrideTarget@Redfish.AllowableValues': allowable,
  Certificates: child('Boot/Certificates'),
  // Brackets end a node of a device path as text.
  HttpBootUri: { type: 'string', pattern: "^https?://[!-'*-~]{1,500}$", nullable: true, readonly: false },
  RemainingAutomaticRetryAttempts: { type: 'integer', readonly: true },
  StopBootOnFault: { type: 'string', enum: bootStops, readonly: false },
  UefiTargetBootSourceOverride: { type: 'string', nullable: true, readonly: false },
  'UefiTargetBootSourceOverride@Redfish.AllowableValues': allowable
})
