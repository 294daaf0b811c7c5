import { findVolume, isRedundant } from '#data/storage'
import { wholePass, workOn } from '#data/tasks'
import { notFound, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: 'HostStorageConfigPriv' } as const

/** The host may use the volume meanwhile. One without redundancy has nothing that could be inconsistent. */
export const POST: Post<typeof body, 'ComputerSystemId' | 'StorageId' | 'VolumeId'> = (context) => {
  const { volume } = findVolume(context)
  if (!isRedundant(volume.raidType)) notFound()
  return workOn('check', context, context.params.VolumeId, { steps: wholePass, hostRuns: true })
}
