import { storageUri } from '#data/storage'
import { type Context, event, fail, merged, type Outcome, type State, type Writes } from '#runtime/contract'
import { beginTask, newTask } from './begin.ts'
import type { Erasure } from './records.ts'

/** The kinds of work on a single drive or volume, and what an event says at the end. */
const kinds = {
  drive: { name: 'Secure erase of drive', of: 'Drives', done: 'MgmtEvents.DriveErased' },
  reset: { name: 'Reset of drive', of: 'Drives', done: 'MgmtEvents.DriveReset' },
  initialize: { name: 'Initialization of volume', of: 'Volumes', done: 'MgmtEvents.VolumeInitialized' },
  rebuild: { name: 'Rebuild of volume', of: 'Volumes', done: 'MgmtEvents.VolumeRebuilt' },
  check: { name: 'Consistency check of volume', of: 'Volumes', done: 'MgmtEvents.VolumeConsistent' }
} as const

type Kind = keyof typeof kinds

/** Whether a part of an erasure is work on a single drive or volume. */
export function isWork(kind: string): kind is Kind {
  return Object.hasOwn(kinds, kind)
}

/** Steps of work that goes over a whole drive or volume: so often it says how far it is. */
export const wholePass = 4

/** The storages that work is done on, by its parts: `storage/slot3`, `drive/slot3/6`. */
export function storagesOf(parts: readonly string[]): string[] {
  const named = parts.map((part) => part.split('/'))
  return named.flatMap(([kind = '', id = '']) => (kind === 'storage' || isWork(kind) ? [id] : []))
}

/**
 * Begins work on a drive or a volume, as a task that owns the storage.
 *
 * @param steps how many there are
 * @param hostRuns whether the host may use the storage meanwhile; otherwise it is off, and held off until the end
 * @throws MessageError 409 if the host runs and may not
 */
export function workOn(
  kind: Kind,
  context: Context<'ComputerSystemId' | 'StorageId', unknown>,
  id: string,
  { steps, hostRuns }: { readonly steps: number; readonly hostRuns: boolean }
): Outcome {
  const { params, machine, random } = context
  const system = params.ComputerSystemId
  if (!hostRuns && machine.power(system) !== 'Off') fail(409, 'Mgmt.SystemPowerOffRequired')
  const parts = Array<string>(steps).fill(partOf(kind, params.StorageId, id))
  const task = random(8)
  const name = `${kinds[kind].name} ${id} of storage ${params.StorageId}`
  return beginTask(context, task, { name }, { erasure: { [task]: { system, parts, done: 0, hostRuns } } })
}

/** The event at the end of work on a drive or a volume; undefined of other work. */
export function workEnded({ system, parts }: Pick<Erasure, 'system' | 'parts'>) {
  const [kind = '', storage = '', id = ''] = parts.at(-1)?.split('/') ?? []
  if (!isWork(kind)) return undefined
  const { of, done } = kinds[kind]
  return event(done, `${storageUri(system, storage)}/${of}/${id}`, id, storage)
}

/** The steps of a rebuild. */
const rebuildSteps = 10

/**
 * The writes that begin the rebuild of a volume, as a task that no client requested.
 *
 * @param most tasks that there may be
 * @throws MessageError 503 when there is no room for one more task
 */
export function rebuild(
  state: State,
  most: number,
  task: string,
  { system, storage, volume }: { readonly system: string; readonly storage: string; readonly volume: string },
  startedAt: string
): Writes {
  const parts = Array<string>(rebuildSteps).fill(partOf('rebuild', storage, volume))
  const name = `${kinds.rebuild.name} ${volume} of storage ${storage}`
  const erasure = { [task]: { system, parts, done: 0, hostRuns: true } }
  return merged(newTask(state, most, task, { name, user: '', startedAt }), { erasure })
}

/** Whether work of a kind is under way on a drive or a volume. */
export function isUnderWay(
  kind: Kind,
  state: Pick<State, 'get' | 'keys'>,
  { system, storage, id }: { readonly system: string; readonly storage: string; readonly id: string }
): boolean {
  return state.keys('erasure').some((task) => {
    const work = state.get('erasure', task)
    return work?.system === system && work.parts.includes(partOf(kind, storage, id))
  })
}

const partOf = (kind: Kind, storage: string, id: string) => `${kind}/${storage}/${id}`
