import { randomUUID } from 'node:crypto'
import type { Board, BoardManager } from '#data/board'
import type { Store } from '#runtime/store/store.ts'

/**
 * The board with UUIDs of its managers (RFC 9562): those that its file gives, else, since the same image goes onto many
 * controllers, such as are made at the first start and stay from then on.
 */
export async function identified(board: Board, store: Store): Promise<Board> {
  const managers = Object.entries(board.managers)
  const isNamed = ({ uuid, serviceEntryPointUuid }: BoardManager) =>
    uuid !== undefined && serviceEntryPointUuid !== undefined
  const fresh = managers.filter(([id, manager]) => !isNamed(manager) && store.get('managerIdentity', id) === undefined)
  const made = fresh.map(([id]) => [id, { uuid: randomUUID(), serviceEntryPointUuid: randomUUID() }])
  if (made.length > 0) await store.commit({ managerIdentity: Object.fromEntries(made) })
  const named = managers.map(([id, manager]) => [id, { ...store.get('managerIdentity', id), ...manager }])
  return { ...board, managers: Object.fromEntries(named) }
}
