import type { Board } from '#data/board'
import { rebuiltAfter } from '#data/health'
import { rebuild, taskUri } from '#data/tasks'
import { event, merged } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'

/** The services that begin a task. */
interface Parts {
  readonly store: Store
  readonly board: Board
  readonly events: Pick<Events, 'writes'>
  readonly tasks: number
  readonly now: () => number
  readonly random: (bytes: number) => string
}

/** Rebuilds a volume when one of its drives works again after a failure: as a task, which is carried out like an erasure. */
export function rebuildVolumes({ store, board, events, tasks, now, random }: Parts): void {
  store.on('condition', (key) => {
    if (store.get('condition', key) !== undefined) return
    for (const place of rebuiltAfter(board, store, key)) {
      const id = random(8)
      const begin = () =>
        merged(
          rebuild(store, tasks, id, place, new Date(now()).toISOString()),
          events.writes([event('TaskEvent.TaskStarted', taskUri(id), id)])
        )
      store.commit(begin).catch((error: Error) => {
        store.log.error('the rebuild of a volume was not started', { ...place, cause: error.message })
      })
    }
  })
}
