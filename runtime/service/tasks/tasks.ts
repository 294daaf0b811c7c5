import { systemUri } from '#data/system'
import { type EraseTask, erase, percentComplete, taskUri } from '#data/tasks'
import { Listeners } from '#runtime/base/listeners.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { event, type Machine, merged, type Writes } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'

/**
 * Carries out erasures: what a client stored as running is done part by part. Each part is one commit with the progress and
 * the events that tell of it, so that a service that starts again goes on with the part that was not done.
 */
export class Tasks {
  readonly #store: Store
  readonly #machine: Machine
  readonly #events: Events
  readonly #partTime: number
  readonly #now: () => number
  readonly #running = new Map<string, Promise<void>>()
  readonly #closing = new Listeners<void>()
  #closed = false

  /** @param partTime how long each part takes, in milliseconds */
  constructor(store: Store, machine: Machine, events: Events, partTime: number, now: () => number) {
    this.#store = store
    this.#machine = machine
    this.#events = events
    this.#partTime = partTime
    this.#now = now
    store.on('task', (id) => this.#start(id))
  }

  /** Goes on with what the last process left under way. */
  open(): void {
    for (const id of this.#store.keys('task')) this.#start(id)
  }

  /** Settles when no task works on a system. */
  async finished(system: string): Promise<void> {
    const ids = [...this.#running.keys()].filter((id) => this.#erasure(id)?.system === system)
    await Promise.all(ids.map((id) => this.#running.get(id)))
  }

  /** Ends after the part that is under way. */
  async close(): Promise<void> {
    this.#closed = true
    this.#closing.emit()
    await Promise.all(this.#running.values())
  }

  #start(id: string): void {
    if (this.#closed || this.#running.has(id) || !this.#isRunning(id)) return
    const running = this.#run(id).finally(() => this.#running.delete(id))
    this.#running.set(id, running)
  }

  #isRunning(id: string): boolean {
    return this.#erasure(id)?.state === 'Running'
  }

  #erasure(id: string): EraseTask | undefined {
    const task = this.#store.get('task', id)
    return task !== undefined && 'system' in task ? task : undefined
  }

  async #run(id: string): Promise<void> {
    try {
      while (this.#isRunning(id)) {
        await sleep(this.#partTime, this.#closing)
        if (this.#closed) return
        await this.#store.commit(() => this.#step(id))
      }
    } catch (error) {
      this.#store.log.error('a task failed', { id, cause: (error as Error).message })
      await this.#store
        .commit(() => this.#failed(id))
        .catch((lost: Error) => this.#store.log.error(lost.message, { id }))
    }
  }

  #step(id: string): Writes {
    const task = this.#erasure(id) as EraseTask
    const { system, parts } = task
    const done = task.done + 1
    const last = done === parts.length
    const uri = taskUri(id)
    const events = last
      ? [
          event('TaskEvent.TaskCompletedOK', uri, id),
          event('MgmtEvents.SecureEraseFinished', systemUri(system), system)
        ]
      : [event('TaskEvent.TaskProgressChanged', uri, id, String(percentComplete({ parts, done })))]
    const time = new Date(this.#now()).toISOString()
    const ended = { state: 'Completed', endedAt: time } as const
    const progress = { task: { [id]: { done, ...(last && ended) } } }
    const erased = erase(parts[task.done] ?? '', task, this.#store, this.#machine, time)
    return merged(merged(erased, progress), this.#events.writes(events))
  }

  #failed(id: string): Writes {
    const ended = { state: 'Exception', endedAt: new Date(this.#now()).toISOString() } as const
    const aborted = event('TaskEvent.TaskAborted', taskUri(id), id)
    return merged({ task: { [id]: ended } }, this.#events.writes([aborted]))
  }
}
