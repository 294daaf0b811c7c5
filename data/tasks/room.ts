import { fail, type State, type Writes } from '#runtime/contract'

/**
 * The writes that make room for one more task: of those that have ended, the one that ended longest ago gives way.
 *
 * @throws MessageError 503 CreateLimitReachedForResource when all of them are running
 */
export function roomForTask(state: State, most: number): Writes {
  const ids = state.keys('task')
  if (ids.length < most) return {}
  const ended = (id: string) => state.get('task', id)?.endedAt ?? ''
  const [oldest] = ids.filter((id) => ended(id) !== '').sort((a, b) => (ended(a) < ended(b) ? -1 : 1))
  return oldest === undefined ? fail(503, 'Base.CreateLimitReachedForResource') : { task: { [oldest]: null } }
}
