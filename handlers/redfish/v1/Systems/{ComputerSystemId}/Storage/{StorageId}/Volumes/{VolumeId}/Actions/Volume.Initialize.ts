import { findVolume, initializeTypes } from '#data/storage'
import { wholePass, workOn } from '#data/tasks'
import type { Parameters, Post } from '#runtime/contract'

export const body = {
  type: 'object',
  properties: { InitializeType: { type: 'string', enum: initializeTypes } }
} as const satisfies Parameters

export const privileges = { POST: 'HostStorageConfigPriv' } as const

/** The data of the volume is lost: the host is off, and is held off until the end. */
export const POST: Post<typeof body, 'ComputerSystemId' | 'StorageId' | 'VolumeId'> = (context) => {
  findVolume(context)
  const steps = context.body.InitializeType === 'Slow' ? wholePass : 1
  return workOn('initialize', context, context.params.VolumeId, { steps, hostRuns: false })
}
