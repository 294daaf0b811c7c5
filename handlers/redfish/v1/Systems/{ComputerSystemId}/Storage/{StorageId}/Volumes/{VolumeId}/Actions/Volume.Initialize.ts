import { findVolume, initializeTypes } from '#data/storage'
import { wholePass, workOn } from '#data/tasks'
import { object, type Post } from '#runtime/contract'

export const body = object({ InitializeType: { type: 'string', enum: initializeTypes } })

export const privileges = { POST: 'HostStorageConfigPriv' } as const

/** The data of the volume is lost: the host is off, and is held off until the end. */
export const POST: Post<typeof body, 'ComputerSystemId' | 'StorageId' | 'VolumeId'> = (context) => {
  findVolume(context)
  const steps = context.body.InitializeType === 'Slow' ? wholePass : 1
  return workOn('initialize', context, context.params.VolumeId, { steps, hostRuns: false })
}
