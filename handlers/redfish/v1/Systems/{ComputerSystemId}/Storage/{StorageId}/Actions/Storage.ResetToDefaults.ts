import { storageResetTypes, storageSettings, storageUri } from '#data/storage'
import { changed, event, object, type Post } from '#runtime/contract'

export const body = object(['ResetType'], { ResetType: { type: 'string', enum: storageResetTypes } })

export const privileges = { POST: 'HostStorageConfigPriv' } as const

/** The controller's settings are as they left the factory; its volumes are gone, unless they are to be preserved. */
export const POST: Post<typeof body, 'ComputerSystemId' | 'StorageId'> = ({ params, body, machine, state }) => {
  const storage = machine.storage(params.ComputerSystemId, params.StorageId)
  const key = `${params.ComputerSystemId}/${params.StorageId}`
  const { rebuildRate } = storageSettings(storage, undefined)
  const { volumes } = storageSettings(storage, state.get('storage', key))
  const origin = storageUri(params.ComputerSystemId, params.StorageId)
  return {
    ...changed({ storage: { [key]: { rebuildRate, volumes: body.ResetType === 'PreserveVolumes' ? volumes : {} } } }),
    events: [event('StorageDevice.ControllerResetToDefaults', origin, params.StorageId, body.ResetType)]
  }
}
