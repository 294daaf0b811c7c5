import type { Board } from '#data/board'
import type { RecoveryPart } from '#data/manager'
import { event } from '#runtime/contract'
import { log } from '#runtime/store/log.ts'
import type { Loss } from '#runtime/store/recovery.ts'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'

const words = {
  store: 'what was left of it',
  copy: 'a copy of it',
  nothing: 'a new one'
} as const

/**
 * Tells what was lost at this start: in the log, as an event, and in the record that the manager shows. Neither of the
 * latter names a directory.
 *
 * @param data the data directory
 */
export async function tellLosses(
  losses: Readonly<Partial<Record<RecoveryPart, Loss | undefined>>>,
  { store, events, board, data, now }: { store: Store; events: Events; board: Board; data: string; now: Date }
): Promise<void> {
  for (const [part, loss] of Object.entries(losses)) {
    if (loss === undefined) continue
    const { from, aside } = loss
    const asOf = loss.at === undefined ? '' : new Date(loss.at).toISOString()
    log('error', 'stored state was damaged', { cause: loss.cause, from, asOf, aside })
    const cause = loss.cause.replaceAll(`${data}/`, '')
    const record = { cause, from, asOf, recoveredAt: now.toISOString() }
    await store.commit({ recovery: { [part]: record } }).catch((error: Error) => log('warning', error.message))
    const origins = Object.keys(board.managers).map((id) => `/redfish/v1/Managers/${id}`)
    const told = [cause, words[from], asOf || 'an unknown time'] as const
    await events.emit(...origins.map((origin) => event('MgmtEvents.StateRecovered', origin, ...told)))
  }
}
