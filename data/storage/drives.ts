import { entry } from '#data/board'
import { type Context, notFound } from '#runtime/contract'
import { storageSettings } from './storage.ts'

type Path = 'ComputerSystemId' | 'StorageId' | 'DriveId'

type Named = Pick<Context<Path>, 'params' | 'machine' | 'state'>

/** The key of the record of a drive. */
export function driveKey({ ComputerSystemId, StorageId, DriveId }: Named['params']): string {
  return `${ComputerSystemId}/${StorageId}/${DriveId}`
}

/** @throws MessageError 404 */
export function findDrive({ params, machine }: Pick<Named, 'params' | 'machine'>) {
  return entry(machine.storage(params.ComputerSystemId, params.StorageId).drives, params.DriveId) ?? notFound()
}

/** Whether the host may be using a drive itself: the controller passes it through. */
export function hostReaches({ params, machine }: Pick<Named, 'params' | 'machine'>): boolean {
  return machine.storage(params.ComputerSystemId, params.StorageId).controller.raidTypes.length === 0
}

/** The ids of the volumes that are on a drive. */
export function volumesOn({ params, machine, state }: Named): string[] {
  const { ComputerSystemId, StorageId, DriveId } = params
  const storage = machine.storage(ComputerSystemId, StorageId)
  const { volumes } = storageSettings(storage, state.get('storage', `${ComputerSystemId}/${StorageId}`))
  return Object.keys(volumes).filter((id) => volumes[id]?.drives.includes(DriveId))
}
