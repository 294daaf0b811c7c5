import { closeSync, readSync } from 'node:fs'
import { dumpsId, logEntryUri, logKey, logNumber } from '#data/logs'
import { taskUri } from '#data/tasks'
import type { Dump, Dumps } from '#hal/dumps.ts'
import type { EntryChange } from '#hal/entries.ts'
import type { HalError } from '#hal/errors.ts'
import type { Closable } from '#runtime/base/opening.ts'
import { busy, type Event, event, notFound, type Sink, type Stream, type Tables } from '#runtime/contract'
import type { RecordChange, Source } from '#runtime/store/attached.ts'
import type { Store } from '#runtime/store/store.ts'
import { explain } from '../machine/machine.ts'
import type { Tasks } from '../tasks/tasks.ts'

/** Of a dump that is read: bytes at once, those that a client may leave unread, and milliseconds until it is looked again. */
const [piece, mostUnread, pause] = [65_536, 262_144, 10]

/** The most clients that read dumps at the same time, and seconds after which another may try again. */
const [mostReaders, retryAfter] = [4, 30]

/** The most dumps of one change that have events. */
const mostEvents = 100

const table = 'dump'

/** The dumps that other programs have: they are records, whose changes are events. Collecting one is a task. */
export class DumpLogs implements Closable {
  readonly #store: Store
  readonly #events: { emit(...events: readonly Event[]): unknown }
  readonly #tasks: Tasks
  readonly #dumps: ReadonlyMap<string, Dumps>
  readonly #collecting = new Set<string>()
  readonly #end: () => void
  #readers = 0
  #isClosed = false

  /** @param dumps by the paths of their logs, without the id: `Managers/1` */
  constructor(
    store: Store,
    events: { emit(...events: readonly Event[]): unknown },
    tasks: Tasks,
    dumps: ReadonlyMap<string, Dumps>
  ) {
    this.#store = store
    this.#events = events
    this.#tasks = tasks
    this.#dumps = dumps
    const end = dumps.size === 0 ? () => undefined : store.attach(table, this.#source())
    const stop = store.on('dumpCollection', (id) => this.#start(id))
    this.#end = () => {
      stop()
      end()
    }
  }

  /** Ends the tasks that the last process left: what became of their dumps is not known, and those that came are there. */
  async open(): Promise<void> {
    for (const id of this.#store.keys('dumpCollection')) await this.#aborted(id)
  }

  close(): void {
    this.#isClosed = true
    this.#end()
  }

  /**
   * Opens a dump for a client.
   *
   * @param key of its record
   * @throws MessageError 404 for an unknown dump, 503 if it cannot be opened, or if too many dumps are being read
   */
  async read(key: string): Promise<Stream> {
    if (this.#readers >= mostReaders) throw busy(retryAfter)
    this.#readers += 1
    try {
      const descriptor = await (this.#of(key) ?? notFound()).open(logNumber(key))
      return (sink) =>
        copy(descriptor, sink, () => {
          this.#readers -= 1
        })
    } catch (error) {
      this.#readers -= 1
      throw explain(error as HalError, { kind: table, key }, this.#store.log)
    }
  }

  #source(): Source<typeof table> {
    return {
      members: ['created', 'size', 'isFailed'],
      decides: true,
      keys: () =>
        [...this.#dumps].flatMap(([owner, { entries }]) =>
          [...(entries?.keys() ?? [])].map((each) => keyOf(owner, each))
        ),
      get: (key) => {
        const dump = this.#of(key)?.entries?.get(logNumber(key))
        return dump && recordOf(dump)
      },
      write: (key, members) => (members === null ? this.#remove([key]) : Promise.resolve()),
      remove: (keys) => this.#remove(keys),
      on: (listener) => {
        const ends = [...this.#dumps].map(([owner, dumps]) =>
          dumps.on((change) => this.#follow(owner, change, listener))
        )
        return () => {
          for (const end of ends) end()
        }
      }
    }
  }

  #of(key: string): Dumps | undefined {
    return this.#dumps.get(key.split('/').slice(0, 2).join('/'))
  }

  /** With one request if that are all of them. One alone is removed by itself, as others may be new. */
  async #remove(keys: readonly string[]): Promise<void> {
    try {
      for (const dumps of this.#dumps.values()) {
        const numbers = keys.filter((key) => this.#of(key) === dumps).map(logNumber)
        if (numbers.length > 1 && numbers.length === dumps.entries?.size) await dumps.clear()
        else for (const number of numbers) await dumps.remove(number)
      }
    } catch (error) {
      throw explain(error as HalError, { kind: table, keys: keys.slice(0, 1) }, this.#store.log)
    }
  }

  #follow(owner: string, { added, changed }: EntryChange, listener: (key: string) => RecordChange | undefined): void {
    const isNew = new Set(added)
    const events: Event[] = []
    for (const number of [...changed].sort((one, other) => one - other)) {
      const done = listener(keyOf(owner, number))
      // Those that were there when the dumps became known are no news.
      if (done !== undefined && (done !== 'Created' || isNew.has(number)))
        events.push(event(`ResourceEvent.Resource${done}`, logEntryUri(keyOf(owner, number))))
    }
    if (events.length > 0) this.#events.emit(...events.slice(-mostEvents))
  }

  #start(id: string): void {
    if (this.#isClosed || this.#collecting.has(id) || this.#store.get('dumpCollection', id) === undefined) return
    this.#collecting.add(id)
    this.#collect(id)
      .catch((error: Error) => this.#store.log.error(error.message, { id }))
      .finally(() => this.#collecting.delete(id))
  }

  async #collect(id: string): Promise<void> {
    const { log } = this.#store.get('dumpCollection', id) ?? notFound()
    try {
      const number = await (this.#of(log) ?? notFound()).collect()
      const name = `${this.#store.get('task', id)?.name}: ${number}`
      const writes = { dumpCollection: { [id]: null } }
      const events = [event('TaskEvent.TaskCompletedOK', taskUri(id), id)]
      await this.#tasks.commit(id, () => ({ task: { state: 'Completed', name }, writes, events }))
    } catch (error) {
      if (this.#isClosed) return
      this.#store.log.error('a dump was not collected', { log, cause: (error as Error).message })
      await this.#aborted(id)
    }
  }

  #aborted(id: string): Promise<void> {
    const writes = { dumpCollection: { [id]: null } }
    const events = [event('TaskEvent.TaskAborted', taskUri(id), id)]
    return this.#tasks.commit(id, () => ({ task: { state: 'Exception' }, writes, events }))
  }
}

const keyOf = (owner: string, number: number) => logKey(`${owner}/${dumpsId}`, number)

function recordOf({ created, size, isFailed }: Dump): Tables[typeof table] {
  return { ...(created !== undefined && { created: new Date(created).toISOString() }), size, isFailed }
}

/**
 * Sends a file to a client as fast as that reads it. It is cut off where the file cannot be read to its end.
 *
 * @returns what ends it, and closes the file
 */
function copy(descriptor: number, sink: Sink, ended: () => void): () => void {
  const bytes = new Uint8Array(piece)
  let position = 0
  let isOver = false
  const more = () => {
    try {
      while (sink.unread() < mostUnread) {
        // At a position: what is no file cannot be read so, and nothing waits for it.
        const length = readSync(descriptor, bytes, { position })
        if (length === 0) {
          if (sink.unread() > 0) break
          sink.end()
          return
        }
        position += length
        sink.write(bytes.slice(0, length))
      }
    } catch {
      sink.cut()
      return
    }
    timer = setTimeout(more, pause)
  }
  let timer = setTimeout(more, 0)
  return () => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    closeSync(descriptor)
    ended()
  }
}
