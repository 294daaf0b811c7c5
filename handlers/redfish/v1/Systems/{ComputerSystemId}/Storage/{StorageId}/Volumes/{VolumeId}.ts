import { raidTypes } from '#data/board'
import { action, integer, references, resource, status, text } from '#data/resource'
import { applyTimeSupport, findVolume, isRedundant, supportedApplyTimes, volumeCapacity } from '#data/storage'
import { changed, constant, type Delete, type Get, link, object } from '#runtime/contract'
import { body as initialization } from './{VolumeId}/Actions/Volume.Initialize.ts'

export const schema = resource('Volume.v1_10_1', 'A volume of a storage subsystem', {
  '@Redfish.OperationApplyTimeSupport': applyTimeSupport,
  BlockSizeBytes: integer,
  CapacityBytes: integer,
  DisplayName: text,
  RAIDType: { type: 'string', enum: raidTypes, nullable: true, readonly: true },
  Status: status,
  Links: object({ Drives: references }),
  Actions: object({
    '#Volume.CheckConsistency': action('Volume.CheckConsistency'),
    '#Volume.Initialize': constant(action('Volume.Initialize', initialization), {})
  })
})

export const privileges = { GET: 'LoginPriv', DELETE: 'HostStorageConfigPriv' } as const

type Path = 'ComputerSystemId' | 'StorageId' | 'VolumeId'

export const GET: Get<typeof schema, Path> = (context) => {
  const { uri } = context
  const { storage, volume } = findVolume(context)
  const base = `${uri.slice(0, uri.lastIndexOf('/Volumes/'))}/Drives`
  return {
    Name: volume.name,
    '@Redfish.OperationApplyTimeSupport': supportedApplyTimes,
    BlockSizeBytes: 512,
    CapacityBytes: volumeCapacity(storage, volume),
    DisplayName: volume.name,
    RAIDType: volume.raidType,
    Links: { Drives: volume.drives.map((id) => link(`${base}/${id}`)) },
    Actions: isRedundant(volume.raidType) ? { '#Volume.CheckConsistency': {} } : {}
  }
}

export const DELETE: Delete<Path> = (context) => {
  const { key, volumes } = findVolume(context)
  const left = Object.entries(volumes).filter(([id]) => id !== context.params.VolumeId)
  return changed({ storage: { [key]: { volumes: Object.fromEntries(left) } } })
}
