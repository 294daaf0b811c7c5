import { entry } from '#data/board'
import { type Context, notFound } from '#runtime/contract'
import { storageSettings } from './storage.ts'

type Path = 'ComputerSystemId' | 'StorageId' | 'VolumeId'

/** A volume with its storage. @throws MessageError 404 */
export function findVolume({ params, machine, state }: Pick<Context<Path>, 'params' | 'machine' | 'state'>) {
  const storage = machine.storage(params.ComputerSystemId, params.StorageId)
  const key = `${params.ComputerSystemId}/${params.StorageId}`
  const { volumes } = storageSettings(storage, state.get('storage', key))
  return { storage, key, volumes, volume: entry(volumes, params.VolumeId) ?? notFound() }
}
