import { sanitizationTypes } from '#data/board'
import { findDrive, hostReaches, volumesOn } from '#data/storage'
import { wholePass, workOn } from '#data/tasks'
import { fail, notFound, object, type Post } from '#runtime/contract'

export const body = object({
  OverwritePasses: { type: 'integer', minimum: 1, maximum: 10 },
  SanitizationType: { type: 'string', enum: sanitizationTypes }
})

export const privileges = { POST: 'HostStorageConfigPriv' } as const

/**
 * Erases a drive that belongs to no volume. The first type of sanitization is the default. The host may use a drive
 * that the controller passes through, and must be off then.
 */
export const POST: Post<typeof body, 'ComputerSystemId' | 'StorageId' | 'DriveId'> = (context) => {
  const { params, body } = context
  const { sanitization = notFound() } = findDrive(context)
  const { SanitizationType: type = sanitization[0] ?? notFound(), OverwritePasses: passes = 1 } = body
  if (!sanitization.includes(type))
    fail(400, 'Base.ActionParameterValueNotInList', type, 'SanitizationType', 'Drive.SecureErase')
  if (body.OverwritePasses !== undefined && type !== 'Overwrite')
    fail(400, 'Base.ActionParameterNotSupported', 'OverwritePasses', 'Drive.SecureErase')
  if (volumesOn(context).length > 0) fail(409, 'Base.ResourceInUse')
  return workOn('drive', context, params.DriveId, { steps: wholePass * passes, hostRuns: !hostReaches(context) })
}
