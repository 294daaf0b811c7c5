import type { Properties } from '../dbus/mirror.ts'
import { type Value, Variant } from '../dbus/values.ts'
import type { EventLog, EventLogEntry } from '../event-log.ts'
import { Entries, entriesInterfaces } from './entries.ts'
import { type BusOptions, busOptions, type Objects, wordOf } from './objects.ts'
import { put } from './shared-state.ts'

/** The options of the back end `openbmc` of an event log in a board file. */
export const openbmcEventLogOptions = { type: 'object', properties: busOptions } as const

const entryInterface = 'xyz.openbmc_project.Logging.Entry'
const root = '/xyz/openbmc_project/logging'

export const eventLogInterfaces = [entryInterface, ...entriesInterfaces]

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
export function openbmcEventLog(objects: Objects, { name }: BusOptions): EventLog {
  const read = (path: string) => entryOf(objects.properties(path, entryInterface))
  const entries = new Entries(objects, { name, root, interface: entryInterface, read, isOther })
  return Object.assign(entries, {
    async resolve(number: number, isResolved: boolean) {
      const path = entries.need(number)
      await put(objects, path, entryInterface, 'Resolved', new Variant('b', isResolved))
      entries.look([path])
    }
  })
}

const isOther = (now: EventLogEntry, before: EventLogEntry) =>
  before.created !== undefined && before.created !== now.created

function entryOf(properties: Properties | undefined): EventLogEntry | undefined {
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
