import { existsSync, rmSync } from 'node:fs'
import type { Board } from '#data/board'
import { type ControllerWork, controllerWork, managerUri } from '#data/manager'
import { type Event, event, merged, type Preserved, type Reset, survives, type Writes } from '#runtime/contract'
import { isFull } from '#runtime/store/level.ts'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'

/**
 * The files in the data directory with data of the owner outside the store, which are made anew if missing; each with
 * the options of a reset that keep it. With users in the store, missing keys would be a loss.
 */
const secrets = {
  keys: ['users'],
  tls: ['network', 'users'],
  'store.checkpoint': [],
  'store.damaged': [],
  'service.log': []
} as const satisfies Readonly<Record<string, readonly Preserved[]>>

/** A file in the data directory: with it, the init process requests the factory defaults for a person at the board. */
const request = 'factory-reset'

/**
 * Does what waited for the controller to start again, in one commit, before anything else sees the store; records that
 * do not survive a restart go with it. All of it can be done again when the power fails meanwhile.
 */
export async function resetController(store: Store, events: Events, board: Board, data: string): Promise<void> {
  const isAsked = (each: ControllerWork) =>
    store.get('controllerPending', each) !== undefined ||
    (each === 'ResetToFactoryDefaults' && existsSync(`${data}/${request}`))
  const work = controllerWork.filter(isAsked)
  const volatile = lost(store, 'restart')
  if (work.length === 0) {
    await store.commit(volatile)
    return
  }
  const waits = () => store.log.error('a reset of the controller waits for the disk', { work })
  if (store.refusal !== undefined && !isFull(store.refusal)) return waits()
  const atBoard = existsSync(`${data}/${request}`)
  const preserved = (!atBoard && store.get('controllerPending', 'ResetToFactoryDefaults')?.preserved) || []
  if (work.includes('ResetToFactoryDefaults')) {
    store.log.forget()
    const gone = Object.entries(secrets).filter(([, of]) => !of.some((each) => preserved.includes(each)))
    for (const [each] of gone) rmSync(`${data}/${each}`, { recursive: true, force: true })
  }
  const origins = Object.keys(board.managers).map(managerUri)
  const writes = () => {
    const sent = origins.flatMap((origin) => work.flatMap((each) => eventsOf(each, origin)))
    const done: Writes = { controllerPending: Object.fromEntries(work.map((each) => [each, null])) }
    const all = work.reduce((writes, each) => merged(writes, worked(store, each, preserved)), merged(volatile, done))
    return merged(all, events.writes(sent))
  }
  try {
    await store.commit(writes)
  } catch (error) {
    if (store.refusal === undefined) throw error
    return waits()
  }
  // Keys and certificate are made anew at this start.
  store.lendReserve()
  // A copy from before must not bring back what is gone.
  await store.checkpoint()
  rmSync(`${data}/${request}`, { force: true })
  store.log.info('the work that waited for a reset of the controller is complete', { work })
}

function worked(store: Store, work: ControllerWork, preserved: readonly Preserved[]): Writes {
  if (work === 'ResetToFactoryDefaults') return lost(store, 'factoryReset', preserved)
  if (work === 'ClearRestApiState') return lost(store, 'restStateReset')
  return { controller: { settings: { disabled: work === 'DisableFunctionality' } } }
}

function eventsOf(work: ControllerWork, origin: string): Event[] {
  if (work === 'ResetToFactoryDefaults') return [event('MgmtEvents.FactoryDefaultsRestored', origin)]
  if (work === 'ClearRestApiState') return [event('MgmtEvents.RestApiStateCleared', origin)]
  return []
}

/** The writes that empty the tables whose records do not survive a reset. */
function lost(store: Store, reset: Reset, preserved: readonly Preserved[] = []): Writes {
  const tables = store.tables.filter((table) => !survives(table, reset, preserved))
  return Object.fromEntries(
    tables.map((table) => [table, Object.fromEntries(store.keys(table).map((key) => [key, null]))])
  )
}
