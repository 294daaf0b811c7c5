import { driveResets } from '#data/board'
import { findDrive, hostReaches } from '#data/storage'
import { workOn } from '#data/tasks'
import { fail, notFound, object, type Post } from '#runtime/contract'

export const body = object({ ResetType: { type: 'string', enum: driveResets } })

export const privileges = { POST: 'HostStorageConfigPriv' } as const

/** A drive starts anew, in its first way where none is named. Its data stays, so one of a volume is reset as well. */
export const POST: Post<typeof body, 'ComputerSystemId' | 'StorageId' | 'DriveId'> = (context) => {
  const { params, body } = context
  const { resets = notFound() } = findDrive(context)
  const { ResetType: type = resets[0] ?? notFound() } = body
  if (!resets.includes(type)) fail(400, 'Base.ActionParameterValueNotInList', type, 'ResetType', 'Drive.Reset')
  return workOn('reset', context, params.DriveId, { steps: 1, hostRuns: !hostReaches(context) })
}
