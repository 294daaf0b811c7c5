import { closeSync } from 'node:fs'
import type { Value } from '../dbus/values.ts'
import type { Dump, Dumps } from '../dumps.ts'
import { HalError, type HalErrorCode } from '../errors.ts'
import { Entries, entriesInterfaces } from './entries.ts'
import { type BusOptions, busOptions, type Objects, wordOf } from './objects.ts'

/** The back end `openbmc` of dumps: those of one kind. */
export interface OpenbmcDumpsOptions extends BusOptions {
  /** The object, by its path below `/xyz/openbmc_project/dump`. Default `bmc`. */
  readonly object?: string | undefined
  /** Seconds that it takes to collect a dump, at most. Default 1800. */
  readonly patience?: number | undefined
}

/** {@link OpenbmcDumpsOptions} in a board file. */
export const openbmcDumpsOptions = {
  type: 'object',
  properties: {
    object: {
      type: 'string',
      pattern: '^[A-Za-z0-9_]+$',
      description: 'The object with the dumps, below /xyz/openbmc_project/dump: bmc, which is the default, or system'
    },
    patience: { type: 'integer', minimum: 1, description: 'Seconds that a dump takes, at most; default 1800' },
    ...busOptions
  }
} as const

const createInterface = 'xyz.openbmc_project.Dump.Create'
const entryInterface = 'xyz.openbmc_project.Dump.Entry'
const progressInterface = 'xyz.openbmc_project.Common.Progress'
const timeInterface = 'xyz.openbmc_project.Time.EpochTime'

export const dumpsInterfaces = [createInterface, entryInterface, progressInterface, timeInterface, ...entriesInterfaces]

/** The last moment that a date can hold, in microseconds since 1970. */
const latest = 8_640_000_000_000_000_000n

/** A dump that is being collected. */
interface Waiting {
  isSeen: boolean
  end(error?: HalError): void
}

/** Dumps are objects below that of their kind, by their numbers. */
export function openbmcDumps(objects: Objects, options: OpenbmcDumpsOptions): Dumps {
  const { name, object = 'bmc', patience = 1800 } = options
  const root = `/xyz/openbmc_project/dump/${object}`
  const property = (path: string, each: string, member: string) => objects.properties(path, each)?.get(member)
  /** Undefined without such a dump. Older daemons report no status, and list complete dumps only. */
  const statusOf = (path: string) => {
    if (objects.properties(path, entryInterface) === undefined) return undefined
    return objects.properties(path, progressInterface) === undefined
      ? 'Completed'
      : (wordOf(property(path, progressInterface, 'Status')) ?? 'InProgress')
  }
  const read = (path: string): Dump | undefined => {
    const status = statusOf(path)
    const isFailed = status === 'Failed' || status === 'Aborted'
    if (status !== 'Completed' && !isFailed) return undefined
    const created = timeOf(property(path, timeInterface, 'Elapsed'))
    const size = property(path, entryInterface, 'Size')
    return {
      ...(created !== undefined && { created }),
      size: typeof size === 'bigint' && size <= Number.MAX_SAFE_INTEGER ? Number(size) : 0,
      isFailed
    }
  }
  const isOther = (now: Dump, before: Dump) => before.created !== undefined && before.created !== now.created
  const waiting = new Map<string, Waiting>()
  const failure = (code: HalErrorCode, reason: string) => new HalError(code, `${name}: ${reason}`)
  const entries = new Entries(objects, { name, root, interface: entryInterface, read, isOther })
  const close = entries.close.bind(entries)

  const look = (path: string, each: Waiting) => {
    const status = statusOf(path)
    if (!entries.isAvailable) each.end(failure('ENODEV', 'the daemon ended before the dump was complete'))
    else if (status === undefined && each.isSeen) each.end(failure('EIO', `${path} was removed`))
    else if (status === 'Failed' || status === 'Aborted') each.end(failure('EIO', `${path} could not be collected`))
    else if (status === 'Completed') each.end()
    each.isSeen = status !== undefined
  }
  // After `entries` has looked at the same objects.
  objects.on(() => {
    for (const [path, each] of waiting) look(path, each)
  })

  return Object.assign(entries, {
    async collect() {
      const [path] = await objects.call(root, createInterface, 'CreateDump', 'a{sv}', [new Map()])
      const number = typeof path === 'string' ? entries.numberOf(path) : undefined
      if (typeof path !== 'string' || number === undefined) throw failure('EIO', `${String(path)} is not a dump`)
      await new Promise<void>((resolve, reject) => {
        const end = (error?: HalError) => {
          clearTimeout(late)
          waiting.delete(path)
          if (error === undefined) resolve()
          else reject(error)
        }
        const late = setTimeout(() => end(failure('ETIMEDOUT', `no dump in ${patience} s`)), patience * 1000)
        const begun = { isSeen: false, end }
        waiting.set(path, begun)
        look(path, begun)
      })
      return number
    },
    async open(number: number) {
      const path = entries.need(number)
      const { values, descriptors } = await objects.callPassing(path, entryInterface, 'GetFileHandle', { answer: 'h' })
      const wanted = descriptors[values[0] as number]
      for (const each of descriptors) if (each !== wanted) closeSync(each)
      if (wanted === undefined) throw failure('EIO', `no descriptor came from ${path}`)
      return wanted
    },
    async close() {
      for (const each of waiting.values()) each.end(failure('ENODEV', 'the device is closed'))
      await close()
    }
  })
}

function timeOf(value: Value | undefined): number | undefined {
  return typeof value === 'bigint' && value > 0n && value <= latest ? Math.floor(Number(value) / 1000) : undefined
}
