import { accepted, type Context, event, fail, merged, type Outcome, type State, type Writes } from '#runtime/contract'
import type { Task } from './records.ts'
import { taskUri } from './uris.ts'

/**
 * Begins a task.
 *
 * @param work the records that say what the work is
 * @throws MessageError 503 CreateLimitReachedForResource when there are too many tasks, and all of them are running
 */
export function beginTask(
  { caller, configuration, now, state }: Pick<Context, 'caller' | 'configuration' | 'now' | 'state'>,
  id: string,
  about: Pick<Task, 'name'> & Partial<Task>,
  work: Writes
): Outcome & Required<Pick<Outcome, 'events'>> {
  const begun = { user: caller.user, startedAt: now().toISOString(), ...about }
  const writes = merged(newTask(state, configuration.limits.tasks, id, begun), work)
  const uri = taskUri(id)
  return { ...accepted(uri, writes, caller), events: [event('TaskEvent.TaskStarted', uri, id)] }
}

/**
 * The writes of a task that begins.
 *
 * @param most tasks that there may be
 * @throws MessageError 503 CreateLimitReachedForResource when there are too many tasks, and all of them are running
 */
export function newTask(
  state: State,
  most: number,
  id: string,
  about: Pick<Task, 'name' | 'user' | 'startedAt'> & Partial<Task>
): Writes {
  const task = { state: 'Running', percent: 0, messages: [], endedAt: '', ...about } as const
  return merged(roomForTask(state, most), { task: { [id]: task } })
}

/** The writes that make room for one more task: of those that have ended, the one that ended longest ago gives way. */
function roomForTask(state: State, most: number): Writes {
  const ids = state.keys('task')
  if (ids.length < most) return {}
  const ended = (id: string) => state.get('task', id)?.endedAt ?? ''
  const [oldest] = ids.filter((id) => ended(id) !== '').sort((a, b) => (ended(a) < ended(b) ? -1 : 1))
  return oldest === undefined ? fail(503, 'Base.CreateLimitReachedForResource') : { task: { [oldest]: null } }
}
