import { list, object } from '#runtime/schema'
import { applyTimes, type WindowSettings } from './apply-time.ts'

const seconds = { type: 'integer', minimum: 1, maximum: 0x7fff_ffff } as const
const start = { type: 'string', format: 'date-time' } as const
const time = { type: 'string', enum: applyTimes } as const

/** URIs of members of the inventory of firmware, of managers or systems. */
export const targets = { type: 'array', items: { type: 'string', maxLength: 256 }, maxItems: 16 } as const

/**
 * The parameters of an update for its targets, time and method (DSP0268, UpdateService.UpdateParameters). The standard
 * has none for the settings of what is updated.
 */
export const updateParameters = {
  '@Redfish.OperationApplyTime': time,
  ForceUpdate: { type: 'boolean' },
  Oem: object({ Vendor: object({ ResetVariables: { type: 'boolean' } }) }),
  Targets: targets
} as const

/** `HttpPushUriOptions`. */
export const pushOptions = object({
  HttpPushUriApplyTime: object({
    ApplyTime: { ...time, readonly: false },
    MaintenanceWindowStartTime: { ...start, nullable: true, readonly: false },
    MaintenanceWindowDurationInSeconds: { ...seconds, nullable: true, readonly: false }
  })
})

/** The maintenance window of an `@Redfish.OperationApplyTimeSupport` (DSP0268). */
export const applyTimeSupport = object({
  MaintenanceWindowDurationInSeconds: { ...seconds, readonly: true },
  MaintenanceWindowResource: object({ '@odata.id': { type: 'string', readonly: true } }),
  MaintenanceWindowStartTime: { ...start, readonly: true },
  SupportedValues: list(time)
})

/** @param uri of the resource whose maintenance window counts, without a trailing slash */
export function showApplyTimeSupport(uri: string, { start, seconds }: WindowSettings) {
  return {
    SupportedValues: applyTimes,
    MaintenanceWindowResource: { '@odata.id': `${uri}/` },
    ...(start !== null && { MaintenanceWindowStartTime: start }),
    ...(seconds !== null && { MaintenanceWindowDurationInSeconds: seconds })
  }
}
