import { type Task, taskUri } from '#data/tasks'
import { type Event, event, type Message, merged, type Writes } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'

/** A change of a task, and what its work changes with it. */
export interface Report {
  readonly task?: Partial<Pick<Task, 'name' | 'state' | 'percent'>>
  /** Beyond those so far. */
  readonly messages?: readonly Message[]
  readonly writes?: Writes
  readonly events?: readonly Event[]
}

/** The owner of the records of tasks. Handlers begin tasks and remove them; the services that do the work report here. */
export class Tasks {
  readonly #store: Store
  readonly #events: Events
  readonly #now: () => number

  constructor(store: Store, events: Events, now: () => number) {
    this.#store = store
    this.#events = events
    this.#now = now
  }

  /**
   * Stores a report; an event announces progress, and a task that begins to wait. Stores nothing after a client has
   * cancelled the task.
   *
   * @param report sees the state with all changes before it; its error is that of the commit
   */
  async commit(id: string, report: () => Report): Promise<void> {
    await this.#store.commit(() => {
      const known = this.#store.get('task', id)
      if (known === undefined) return {}
      const { task = {}, messages = [], writes = {}, events = [] } = report()
      const changed = { ...task, ...this.#ended(task), messages: [...known.messages, ...messages] }
      return merged(
        merged(writes, { task: { [id]: changed } }),
        this.#events.writes([...events, ...this.#progressed(id, known, changed)])
      )
    })
  }

  /** Stores the progress of a task. @param writes what changes with it */
  progress(id: string, percent: number, writes: () => Writes = () => ({})): Promise<void> {
    return this.commit(id, () => ({ task: { percent }, writes: writes() }))
  }

  /** Of a task that has not ended: the ends have events of their own. */
  #progressed(id: string, known: Task, { state = known.state, percent = known.percent, endedAt }: Partial<Task>) {
    const waits = state === 'Pending' && known.state !== 'Pending'
    if (endedAt !== undefined || (percent === known.percent && !waits)) return []
    return [event('TaskEvent.TaskProgressChanged', taskUri(id), id, String(percent))]
  }

  #ended({ state }: Partial<Task>): Partial<Task> {
    if (state !== 'Completed' && state !== 'Exception') return {}
    return { endedAt: new Date(this.#now()).toISOString(), ...(state === 'Completed' && { percent: 100 }) }
  }
}
