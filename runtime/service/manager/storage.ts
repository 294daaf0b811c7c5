import type { Board } from '#data/board'
import { managerUri } from '#data/manager'
import { event } from '#runtime/contract'
import { isFull } from '#runtime/store/level.ts'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'

/** Tells, in the log and as events, when the disk begins to refuse what is to be stored, and when it takes it again. */
export function watchStorage(store: Pick<Store, 'refusal' | 'onRefusal' | 'log'>, events: Events, board: Board): void {
  const origins = Object.keys(board.managers).map(managerUri)
  let reported: string | undefined
  const report = (refusal: Error | undefined) => {
    const state = refusal && (isFull(refusal) ? 'is full' : 'fails')
    if (state === reported) return
    reported = state
    if (state === undefined) {
      store.log.info('the disk accepts writes again')
      void events.emit(...origins.map((origin) => event('MgmtEvents.StorageWritable', origin)))
    } else {
      store.log.error('the disk refuses writes', { cause: refusal?.message })
      void events.emit(...origins.map((origin) => event('MgmtEvents.StorageNotWritable', origin, state)))
    }
  }
  report(store.refusal)
  store.onRefusal(report)
}
