import { entry, raidTypes } from '#data/board'
import { collection, reference } from '#data/resource'
import {
  applyTime,
  applyTimeSupport,
  capacityOf,
  chooseDrives,
  freeDrives,
  storageSettings,
  supportedApplyTimes,
  takesDrives
} from '#data/storage'
import { created, fail, type Get, members, object, type Post, type Schema } from '#runtime/contract'

const volumes = collection('Volume')

export const schema = {
  ...volumes,
  properties: { ...volumes.properties, '@Redfish.OperationApplyTimeSupport': applyTimeSupport }
} as const satisfies Schema

/** The old words for levels of RAID, which clients still send beside the new ones. */
const volumeTypes = [
  'RawDevice',
  'NonRedundant',
  'Mirrored',
  'StripedWithParity',
  'SpannedMirrors',
  'SpannedStripesWithParity'
] as const

export const body = object(['RAIDType'], {
  '@Redfish.OperationApplyTime': applyTime,
  CapacityBytes: { type: 'integer', minimum: 1 },
  DisplayName: { type: 'string', minLength: 1, maxLength: 64 },
  Encrypted: { type: 'boolean' },
  Name: { type: 'string', minLength: 1, maxLength: 64 },
  RAIDType: { type: 'string', enum: raidTypes },
  VolumeType: { type: 'string', enum: volumeTypes },
  Links: object(['Drives'], { Drives: { type: 'array', items: reference, maxItems: 32 } })
})

export const privileges = { GET: 'LoginPriv', POST: 'HostStorageConfigPriv' } as const

type Path = 'ComputerSystemId' | 'StorageId'

export const GET: Get<typeof schema, Path> = ({ params, uri, machine, state }) => {
  const storage = machine.storage(params.ComputerSystemId, params.StorageId)
  const key = `${params.ComputerSystemId}/${params.StorageId}`
  const { volumes } = storageSettings(storage, state.get('storage', key))
  return {
    Name: 'Volumes',
    ...members(uri, Object.keys(volumes)),
    '@Redfish.OperationApplyTimeSupport': supportedApplyTimes
  }
}

/** A volume over drives that belong to no other one: those that are named, or as few free ones as hold it. */
export const POST: Post<typeof body, Path> = ({ params, uri, body, machine, state, configuration }) => {
  const storage = machine.storage(params.ComputerSystemId, params.StorageId)
  const key = `${params.ComputerSystemId}/${params.StorageId}`
  const settings = storageSettings(storage, state.get('storage', key))
  const { volumes } = settings
  const { RAIDType, DisplayName, Name = DisplayName, CapacityBytes } = body
  if (body.Encrypted === true) fail(400, 'Base.PropertyValueNotInList', 'true', 'Encrypted')
  if (!storage.controller.raidTypes.includes(RAIDType)) fail(400, 'Base.PropertyValueNotInList', RAIDType, 'RAIDType')
  const base = `${uri.slice(0, uri.lastIndexOf('/'))}/Drives/`
  const named = body.Links?.Drives.map((each) => {
    const path = each['@odata.id'].replace(/\/$/, '')
    const id = path.startsWith(base) ? path.slice(base.length) : ''
    return entry(storage.drives, id) ? id : fail(400, 'Base.InvalidURI', path.slice(0, 64))
  })
  const drives =
    named ??
    chooseDrives(storage, settings, RAIDType, CapacityBytes) ??
    fail(409, 'Mgmt.FreeDrivesInsufficient', freeDrives(storage, settings).join(', ') || 'none')
  if (new Set(drives).size < drives.length || !takesDrives(RAIDType, drives.length)) {
    fail(400, 'Base.PropertyValueIncorrect', 'Drives', `${drives.length} drives`)
  }
  if (Object.values(volumes).some((volume) => volume.drives.some((id) => drives.includes(id)))) {
    fail(409, 'Base.ResourceInUse')
  }
  if (CapacityBytes !== undefined && CapacityBytes > capacityOf(storage, RAIDType, drives)) {
    fail(400, 'Base.PropertyValueOutOfRange', String(CapacityBytes), 'CapacityBytes')
  }
  if (Object.keys(volumes).length >= configuration.limits.volumes) fail(409, 'Base.CreateLimitReachedForResource')
  const id = String(Math.max(0, ...Object.keys(volumes).map(Number)) + 1)
  const capacity = CapacityBytes === undefined ? {} : { capacityBytes: CapacityBytes }
  const volume = { name: Name ?? `Volume ${id}`, raidType: RAIDType, drives, ...capacity }
  return created(`${uri}/${id}`, { storage: { [key]: { volumes: { ...volumes, [id]: volume } } } })
}
