import { entry, raidTypes } from '#data/board'
import { collection, reference } from '#data/resource'
import { storageSettings, takesDrives } from '#data/storage'
import { created, fail, type Get, members, type Parameters, type Post, type Schema } from '#runtime/contract'

export const schema = collection('Volume') satisfies Schema

export const body = {
  type: 'object',
  required: ['RAIDType', 'Links'],
  properties: {
    RAIDType: { type: 'string', enum: raidTypes },
    DisplayName: { type: 'string', minLength: 1, maxLength: 64 },
    Links: {
      type: 'object',
      required: ['Drives'],
      properties: { Drives: { type: 'array', items: reference, maxItems: 32 } }
    }
  }
} as const satisfies Parameters

export const privileges = { GET: 'LoginPriv', POST: 'HostStorageConfigPriv' } as const

type Path = 'ComputerSystemId' | 'StorageId'

export const GET: Get<typeof schema, Path> = ({ params, uri, machine, state }) => {
  const storage = machine.storage(params.ComputerSystemId, params.StorageId)
  const key = `${params.ComputerSystemId}/${params.StorageId}`
  return { Name: 'Volumes', ...members(uri, Object.keys(storageSettings(storage, state.get('storage', key)).volumes)) }
}

/** A volume over drives that belong to no other one. */
export const POST: Post<typeof body, Path> = ({ params, uri, body, machine, state, configuration }) => {
  const storage = machine.storage(params.ComputerSystemId, params.StorageId)
  const key = `${params.ComputerSystemId}/${params.StorageId}`
  const { volumes } = storageSettings(storage, state.get('storage', key))
  const { RAIDType, DisplayName, Links } = body
  if (!storage.controller.raidTypes.includes(RAIDType)) fail(400, 'Base.PropertyValueNotInList', RAIDType, 'RAIDType')
  const base = `${uri.slice(0, uri.lastIndexOf('/'))}/Drives/`
  const drives = Links.Drives.map((each) => {
    const path = each['@odata.id'].replace(/\/$/, '')
    const id = path.startsWith(base) ? path.slice(base.length) : ''
    return entry(storage.drives, id) ? id : fail(400, 'Base.InvalidURI', path.slice(0, 64))
  })
  if (new Set(drives).size < drives.length || !takesDrives(RAIDType, drives.length)) {
    fail(400, 'Base.PropertyValueIncorrect', 'Drives', `${drives.length} drives`)
  }
  if (Object.values(volumes).some((volume) => volume.drives.some((id) => drives.includes(id)))) {
    fail(409, 'Base.ResourceInUse')
  }
  if (Object.keys(volumes).length >= configuration.limits.volumes) fail(409, 'Base.CreateLimitReachedForResource')
  const id = String(Math.max(0, ...Object.keys(volumes).map(Number)) + 1)
  const volume = { name: DisplayName ?? `Volume ${id}`, raidType: RAIDType, drives }
  return created(`${uri}/${id}`, { storage: { [key]: { volumes: { ...volumes, [id]: volume } } } })
}
