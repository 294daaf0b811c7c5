import { systemUri } from '#data/system'
import { type Erasure, erase, simulatedWork, taskUri, workEnded } from '#data/tasks'
import { Listeners } from '#runtime/base/listeners.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { event, type Machine, type Writes } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Devices } from '../machine/machine.ts'
import { fromEarlierVersions } from './earlier.ts'
import type { Tasks } from './tasks.ts'

/**
 * Carries out erasures part by part. Each part is one commit with the progress and its event, so that a service that
 * starts again goes on with the part that was not done.
 */
export class Erasures {
  readonly #store: Store
  readonly #machine: Machine
  readonly #tasks: Tasks
  readonly #partTime: number
  readonly #now: () => number
  readonly #drives: Devices['drives']
  readonly #running = new Map<string, Promise<void>>()
  readonly #closing = new Listeners<void>()
  #closed = false

  /**
   * @param partTime how long each part takes, in milliseconds
   * @param drives those that are erased for real, at the last step
   */
  constructor(
    store: Store,
    machine: Machine,
    tasks: Tasks,
    partTime: number,
    now: () => number,
    drives: Devices['drives'] = new Map()
  ) {
    this.#store = store
    this.#machine = machine
    this.#tasks = tasks
    this.#partTime = partTime
    this.#now = now
    this.#drives = drives
    store.on('erasure', (id) => this.#start(id))
  }

  /** Goes on with what the last process left under way. */
  async open(): Promise<void> {
    await this.#store
      .commit(() => fromEarlierVersions(this.#store))
      .catch((error: Error) => {
        this.#store.log.error('erasures that an earlier version started were not continued', { cause: error.message })
      })
    for (const id of this.#store.keys('erasure')) this.#start(id)
  }

  /** Settles when no erasure holds a system. */
  async finished(system: string): Promise<void> {
    const ids = [...this.#running.keys()].filter((id) => this.#holds(id, system))
    await Promise.all(ids.map((id) => this.#running.get(id)))
  }

  #holds(id: string, system: string): boolean {
    const erasure = this.#store.get('erasure', id)
    return erasure?.system === system && erasure.hostRuns !== true
  }

  /** Ends after the part that is under way. */
  async close(): Promise<void> {
    this.#closed = true
    this.#closing.emit()
    await Promise.all(this.#running.values())
  }

  #start(id: string): void {
    if (this.#closed || this.#running.has(id) || this.#erasure(id) === undefined) return
    this.#running.set(
      id,
      this.#run(id).finally(() => this.#running.delete(id))
    )
  }

  #erasure(id: string): Erasure | undefined {
    return this.#store.get('task', id) && this.#store.get('erasure', id)
  }

  async #run(id: string): Promise<void> {
    try {
      for (let erasure = this.#erasure(id); erasure !== undefined; erasure = this.#erasure(id)) {
        await sleep(this.#partTime, this.#closing)
        if (this.#closed) return
        if (erasure.done + 1 === erasure.parts.length) await this.#erase(erasure)
        await this.#step(id, erasure)
      }
    } catch (error) {
      this.#store.log.error('a task failed', { id, cause: (error as Error).message })
      const aborted = event('TaskEvent.TaskAborted', taskUri(id), id)
      await this.#tasks
        .commit(id, () => ({ task: { state: 'Exception' }, writes: { erasure: { [id]: null } }, events: [aborted] }))
        .catch((lost: Error) => this.#store.log.error(lost.message, { id }))
    }
  }

  /** Work on a drive that has a device. It is done again if the service ends before the task does. */
  async #erase({ system, parts, done }: Erasure): Promise<void> {
    const [kind, ...place] = parts[done]?.split('/') ?? []
    if (kind === 'drive') await this.#drives.get([system, ...place].join('/'))?.erase()
  }

  #step(id: string, { system, parts, done }: Erasure): Promise<void> {
    const erased = (erasure: Partial<Erasure> | null) => (): Writes => {
      const user = this.#store.get('task', id)?.user ?? ''
      const time = new Date(this.#now()).toISOString()
      return {
        ...erase(parts[done] ?? '', { system, user }, this.#store, this.#machine, time),
        erasure: { [id]: erasure }
      }
    }
    const next = done + 1
    if (next < parts.length) {
      return this.#tasks.progress(id, Math.floor((100 * next) / parts.length), erased({ done: next }))
    }
    const writes = erased(null)
    const own = workEnded({ system, parts }) ?? event('MgmtEvents.SecureEraseFinished', systemUri(system), system)
    const completed = event('TaskEvent.TaskCompletedOK', taskUri(id), id)
    const events = parts.includes(simulatedWork) ? [completed] : [completed, own]
    return this.#tasks.commit(id, () => ({ task: { state: 'Completed' }, writes: writes(), events }))
  }
}
