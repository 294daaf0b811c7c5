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
   * Stores a report. Stores nothing after a client has cancelled the task.
   *
   * @param report sees the state with all changes before it; its error is that of the commit
   */
  async commit(id: string, report: () => Report): Promise<void> {
    await this.#store.commit(() => {
      const known = this.#store.get('task', id)
      if (known === undefined) return {}
      const { task = {}, messages = [], writes = {}, events = [] } = report()
      const changed = { ...task, ...this.#ended(task), messages: [...known.messages, ...messages] }
      return merged(merged(writes, { task: { [id]: changed } }), this.#events.writes(events))
    })
  }

  /** Stores the progress of a task, and sends an event. @param writes what changes with it */
  progress(id: string, percent: number, writes: () => Writes = () => ({})): Promise<void> {
    const changed = event('TaskEvent.TaskProgressChanged', taskUri(id), id, String(percent))
    return this.commit(id, () => ({ task: { percent }, writes: writes(), events: [changed] }))
  }

  #ended({ state }: Partial<Task>): Partial<Task> {
    if (state !== 'Completed' && state !== 'Exception') return {}
    return { endedAt: new Date(this.#now()).toISOString(), ...(state === 'Completed' && { percent: 100 }) }
  }
}
