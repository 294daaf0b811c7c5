import { Listeners } from '#runtime/base/listeners.ts'
import { type Value, Variant } from '../dbus/values.ts'
import { HalError } from '../errors.ts'
import type { EventLog, EventLogChange, EventLogEntry } from '../event-log.ts'
import { type BusOptions, busOptions, type Objects, wordOf } from './objects.ts'
import { put } from './shared-state.ts'

/** The options of the back end `openbmc` of an event log in a board file. */
export const openbmcEventLogOptions = { type: 'object', properties: busOptions } as const

const entryInterface = 'xyz.openbmc_project.Logging.Entry'
const deletion = 'xyz.openbmc_project.Object.Delete'
const deletionOfAll = 'xyz.openbmc_project.Collection.DeleteAll'
const root = '/xyz/openbmc_project/logging'

export const eventLogInterfaces = [entryInterface, deletion, deletionOfAll]

const severities: ReadonlyMap<string, EventLogEntry['severity']> = new Map([
  ['Emergency', 'Critical'],
  ['Alert', 'Critical'],
  ['Critical', 'Critical'],
  ['Error', 'Critical'],
  ['Warning', 'Warning'],
  ['Notice', 'Warning'],
  ['Informational', 'OK'],
  ['Debug', 'OK']
])

/** The last moment that a date can hold, in milliseconds since 1970. */
const latest = 8_640_000_000_000_000n

/** Entries are objects below that of the log, by their numbers. */
export function openbmcEventLog(objects: Objects, options: BusOptions): EventLog {
  return new OpenbmcEventLog(objects, options)
}

class OpenbmcEventLog implements EventLog {
  readonly #objects: Objects
  readonly #name: string
  readonly #listeners = new Listeners<EventLogChange>()
  #entries: Map<number, EventLogEntry> | undefined
  isAvailable = false

  constructor(objects: Objects, { name }: BusOptions) {
    this.#objects = objects
    this.#name = name
    objects.on((changed) => this.#look([...changed]))
    this.#look(objects.paths(entryInterface))
  }

  get entries(): ReadonlyMap<number, EventLogEntry> | undefined {
    return this.#entries
  }

  async resolve(number: number, isResolved: boolean): Promise<void> {
    const path = this.#need(number)
    await put(this.#objects, path, entryInterface, 'Resolved', new Variant('b', isResolved))
    this.#look([path])
  }

  async remove(number: number): Promise<void> {
    const path = this.#need(number)
    await this.#objects.call(path, deletion, 'Delete')
    await this.#gone(number)
    this.#look([path])
  }

  async clear(): Promise<void> {
    const numbers = [...(this.#entries?.keys() ?? [])]
    await this.#objects.call(root, deletionOfAll, 'DeleteAll')
    await Promise.all(numbers.map((number) => this.#gone(number)))
    this.#look(numbers.map(pathOf))
  }

  on(listener: (change: EventLogChange) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#listeners.clear()
    this.#objects.close()
  }

  /** The path of an entry that is there. */
  #need(number: number): string {
    const path = pathOf(number)
    if (this.#read(path) === undefined) throw new HalError('ENODEV', `${this.#name}: the bus has no entry ${number}`)
    return path
  }

  #gone(number: number): Promise<void> {
    const path = pathOf(number)
    return this.#objects.until(path, () => this.#read(path) === undefined)
  }

  /** Looks at the objects at some paths. Those of all entries are told when the daemon is there again. */
  #look(paths: readonly string[]): void {
    const wasAvailable = this.isAvailable
    this.isAvailable = this.#objects.properties(root, deletionOfAll) !== undefined
    // Without the daemon, nothing says that an entry is gone.
    if (!this.isAvailable) {
      if (wasAvailable) this.#listeners.emit({ added: [], changed: new Set() })
      return
    }
    const known = this.#entries ?? new Map<number, EventLogEntry>()
    const isFirst = this.#entries === undefined
    const added: number[] = []
    const changed = new Set<number>()
    for (const path of paths) {
      const number = numberOf(path)
      if (number === undefined) continue
      const [before, now] = [known.get(number), this.#read(path)]
      if (JSON.stringify(now) === JSON.stringify(before)) continue
      changed.add(number)
      if (now === undefined) known.delete(number)
      else known.set(number, now)
      if (now !== undefined && !isFirst && isOther(now, before)) added.push(number)
    }
    this.#entries = known
    if (wasAvailable && changed.size === 0) return
    this.#listeners.emit({ added: added.sort((one, other) => one - other), changed })
  }

  #read(path: string): EventLogEntry | undefined {
    const properties = this.#objects.properties(path, entryInterface)
    if (properties === undefined) return undefined
    const created = timeOf(properties.get('Timestamp'))
    const modified = timeOf(properties.get('UpdateTimestamp'))
    const severity = severities.get(wordOf(properties.get('Severity')) ?? '')
    const text = textOf(properties.get('Message'))
    const resolution = textOf(properties.get('Resolution'))
    return {
      ...(created !== undefined && { created }),
      ...(modified !== undefined && { modified }),
      ...(severity !== undefined && { severity }),
      ...(text !== undefined && { text }),
      ...(resolution !== undefined && { resolution }),
      resolved: properties.get('Resolved') === true,
      data: dataOf(properties.get('AdditionalData'))
    }
  }
}

const pathOf = (number: number) => `${root}/entry/${number}`

/** The number of the entry at a path: of 32 bits, from 1. */
function numberOf(path: string): number | undefined {
  const [, digits] = /^\/xyz\/openbmc_project\/logging\/entry\/([1-9]\d{0,9})$/.exec(path) ?? []
  return digits !== undefined && Number(digits) < 2 ** 32 ? Number(digits) : undefined
}

/** Whether an entry is not the one that had its number before: a daemon that has lost its entries counts from 1 again. */
function isOther(now: EventLogEntry, before: EventLogEntry | undefined): boolean {
  return before === undefined || (before.created !== undefined && before.created !== now.created)
}

function timeOf(value: Value | undefined): number | undefined {
  return typeof value === 'bigint' && value > 0n && value <= latest ? Number(value) : undefined
}

function textOf(value: Value | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** From a dictionary, or in older versions of the interface from texts such as `NAME=value`. */
function dataOf(value: Value | undefined): Readonly<Record<string, string>> {
  const pairs = value instanceof Map ? [...value] : Array.isArray(value) ? value.map(pairOf) : []
  return Object.fromEntries(pairs.filter((pair) => pair.every((each) => typeof each === 'string')))
}

function pairOf(text: Value): readonly [Value, Value] {
  const at = typeof text === 'string' ? text.indexOf('=') : -1
  return at < 0 ? [text, ''] : [(text as string).slice(0, at), (text as string).slice(at + 1)]
}
