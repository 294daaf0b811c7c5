import { rmSync } from 'node:fs'
import { type Board, type ControllerWork, controllerWork, type Tables } from '#data'
import type { Events } from './events/events.ts'
import type { Writes } from './handler.ts'
import { log } from './log.ts'
import { merged } from './merge.ts'
import { type Event, event } from './messages.ts'
import type { Store } from './store.ts'

/** What the factory defaults of the controller leave alone: what is a host's own, and which controller it is. */
const lasting: ReadonlySet<keyof Tables> = new Set([
  'biosCurrent',
  'biosPending',
  'boot',
  'hostPending',
  'managerIdentity',
  'secureBoot',
  'storage',
  'system',
  'variable'
])

/** What clients have left in the interface, beside what they have set. */
const restState: readonly (keyof Tables)[] = [
  'biosPending',
  'delivery',
  'event',
  'metricReportDefinition',
  'report',
  'session',
  'subscription'
]

/** Directories below that of the data which hold what is made anew where it is missing: keys and certificates. */
const secrets = ['keys', 'tls']

/**
 * Does what waited for the controller to start again, in one commit, before anything else sees the store. All of it can
 * be done again when the power fails meanwhile.
 */
export async function resetController(store: Store, events: Events, board: Board, data: string): Promise<void> {
  const work = controllerWork.filter((each) => store.get('controllerPending', each) !== undefined)
  if (work.length === 0) return
  if (work.includes('ResetToFactoryDefaults')) {
    for (const each of secrets) rmSync(`${data}/${each}`, { recursive: true, force: true })
  }
  const origins = Object.keys(board.managers).map((id) => `/redfish/v1/Managers/${id}`)
  await store.commit(() => {
    const told = origins.flatMap((origin) => work.flatMap((each) => tells(each, origin)))
    const gone: Writes = { controllerPending: Object.fromEntries(work.map((each) => [each, null])) }
    const all = work.reduce((writes, each) => merged(writes, worked(store, each)), gone)
    return merged(all, events.writes(told))
  })
  log('info', 'what waited for a reset of the controller is done', { work })
}

function worked(store: Store, work: ControllerWork): Writes {
  if (work === 'ResetToFactoryDefaults')
    return emptied(
      store,
      store.tables.filter((table) => !lasting.has(table))
    )
  if (work === 'ClearRestApiState') return emptied(store, restState)
  return { controller: { settings: { disabled: work === 'DisableFunctionality' } } }
}

function tells(work: ControllerWork, origin: string): Event[] {
  if (work === 'ResetToFactoryDefaults') return [event('MgmtEvents.FactoryDefaultsRestored', origin)]
  if (work === 'ClearRestApiState') return [event('MgmtEvents.RestApiStateCleared', origin)]
  return []
}

function emptied(store: Store, tables: readonly (keyof Tables)[]): Writes {
  return Object.fromEntries(
    tables.map((table) => [table, Object.fromEntries(store.keys(table).map((key) => [key, null]))])
  )
}
