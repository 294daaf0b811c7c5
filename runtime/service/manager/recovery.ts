import { rmSync } from 'node:fs'
import type { Board } from '#data/board'
import { managerUri, type RecoveryPart } from '#data/manager'
import { event, merged } from '#runtime/contract'
import type { Loss } from '#runtime/store/recovery.ts'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'

const words = { Rest: 'the rest of it', Copy: 'a copy of it', New: 'a new one' } as const

/**
 * Reports what was lost at this start: in the log, as an event, and in the record that the manager shows. Neither of the
 * latter names the data directory.
 */
export async function reportLosses(
  losses: Readonly<Record<RecoveryPart, Loss | undefined>>,
  { store, events, board, data, now }: { store: Store; events: Events; board: Board; data: string; now: Date }
): Promise<void> {
  const origins = Object.keys(board.managers).map(managerUri)
  for (const [part, loss] of Object.entries(losses)) {
    if (loss === undefined) continue
    const { source, at } = loss
    const asOf = at === undefined ? null : new Date(at).toISOString()
    store.log.error('stored state was damaged', { cause: loss.cause, source, asOf })
    const cause = loss.cause.replaceAll(`${data}/`, '')
    await store.commit(() => {
      const args = [cause, words[source], asOf ?? 'an unknown time'] as const
      const writes = events.writes(origins.map((origin) => event('MgmtEvents.StateRecovered', origin, ...args)))
      return merged({ recovery: { [part]: { cause, source, asOf, recoveredAt: now.toISOString() } } }, writes)
    })
  }
  // It is reported once; later losses are kept.
  if (losses.Store !== undefined) rmSync(`${data}/store.loss`, { force: true })
}
