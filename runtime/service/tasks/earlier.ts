import { type Erasure, eraseTask, type Task } from '#data/tasks'
import { merged, type Writes } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'

/** The writes that split tasks of versions whose task of an erasure also said what is erased. */
export function fromEarlierVersions(store: Store): Writes {
  let writes: Writes = {}
  for (const id of store.keys('task')) {
    const { system, parts, done, name, endedAt } = store.get('task', id) as Task & Erasure
    if (name !== undefined) continue
    const percent = Math.floor((100 * done) / parts.length)
    const task = { task: { [id]: { ...eraseTask(system, parts), percent, messages: [] } } }
    writes = merged(merged(writes, task), endedAt === '' ? { erasure: { [id]: { system, parts, done } } } : {})
  }
  return writes
}
