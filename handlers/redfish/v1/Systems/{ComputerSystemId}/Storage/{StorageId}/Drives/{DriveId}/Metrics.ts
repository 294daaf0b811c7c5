import { driveMetrics, partOf, showDriveMetrics } from '#data/metrics'
import { findDrive } from '#data/storage'
import type { Get, Schema } from '#runtime/contract'

export const schema = driveMetrics satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'StorageId' | 'DriveId'> = (context) => {
  const { params, machine } = context
  findDrive(context)
  const name = `${params.StorageId}/${params.DriveId}`
  return { ...showDriveMetrics(machine, partOf(machine, params.ComputerSystemId, 'drives', name)) }
}
