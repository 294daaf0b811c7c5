import { entry } from '#data/board'
import { storageResetTypes, storageSettings } from '#data/storage'
import { changed, event, notFound, type Parameters, type Post } from '#runtime/contract'

export const body = {
  type: 'object',
  required: ['ResetType'],
  properties: { ResetType: { type: 'string', enum: storageResetTypes } }
} as const satisfies Parameters

export const privileges = { POST: 'HostStorageConfigPriv' } as const

/** The controller's settings are as they left the factory; its volumes are gone, unless they are to be preserved. */
export const POST: Post<typeof body, 'ComputerSystemId' | 'StorageId'> = ({ params, body, machine, state }) => {
  const system = entry(machine.board.systems, params.ComputerSystemId) ?? notFound()
  const storage = entry(system.storage, params.StorageId) ?? notFound()
  const key = `${params.ComputerSystemId}/${params.StorageId}`
  const { rebuildRate } = storageSettings(storage, undefined)
  const { volumes } = storageSettings(storage, state.get('storage', key))
  const origin = `/redfish/v1/Systems/${params.ComputerSystemId}/Storage/${params.StorageId}`
  return {
    ...changed({ storage: { [key]: { rebuildRate, volumes: body.ResetType === 'PreserveVolumes' ? volumes : {} } } }),
    events: [event('StorageDevice.ControllerResetToDefaults', origin, params.StorageId, body.ResetType)]
  }
}
