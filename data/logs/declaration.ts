import type { Board } from '#data/board'
import type { Configuration } from '#data/configuration'
import type { Context, Machine, Privilege, Resource, State, Writes } from '#runtime/contract'
import type { diagnosticDataTypes, LogOwner, logEntry } from './logs.ts'

/** The context of a resource of a log, below a manager or below a system. */
export type LogContext<P extends string = never> =
  | Context<'ManagerId' | P, unknown>
  | Context<'ComputerSystemId' | P, unknown>

/** The parts of a request's context that a log may read. */
type LogSources = Pick<Context, 'state' | 'machine' | 'serviceLog'>

/** An entry without its name and type. */
export type ShownEntry = Omit<Partial<Entry>, 'Name'> & Pick<Entry, 'EntryType'>

type Entry = Resource<typeof logEntry>

/** Bytes that belong to an entry, for `AdditionalDataURI`. */
interface Attached {
  readonly size: number
  readonly bytes?: Uint8Array
  /** It is not known here, and streamed to clients. */
  readonly isDump?: true
}

export interface OpenLog {
  /** The ids of its entries, oldest first. */
  ids(): readonly string[]
  /** @throws MessageError 404 where there is no such entry */
  entry(id: string): ShownEntry
  /** Absent for entries without data of their own. */
  attached?(id: string): Attached | undefined
  /** The writes that say whether an entry needs no more attention; absent where clients may not. @throws MessageError 404 */
  resolve?(id: string, isResolved: boolean): Writes
  /** The writes that remove an entry, likewise. @throws MessageError 404 */
  remove?(id: string): Writes
}

/**
 * A log service: its entries, and the actions that clients may use. An owner is the id of a manager or a system. All URIs
 * of the log, from the collection of logs to the data of an entry, follow from it.
 */
export interface LogDeclaration {
  readonly of: LogOwner
  readonly id: string
  readonly name: string
  /** `LogEntryType`. */
  readonly type: 'Event' | 'SEL' | 'OEM'
  /** Whether a manager or system has it; absent: all have. */
  isOn?(board: Board, owner: string): boolean
  /** The privilege that reading entries takes, if it takes more than a login. */
  readonly reading?: Privilege
  /** The most entries; absent where something else bounds the log. */
  most?(configuration: Configuration): number
  /** Whether what has the log can be reached now; absent: always. */
  isAvailable?(machine: Machine, owner: string): boolean
  /** The methods for changing an entry: PATCH resolves it, DELETE removes it. Without this member, entries are read-only. */
  readonly changes?: readonly ('PATCH' | 'DELETE')[]
  /** The log of an owner. Computes values common to all entries once. @throws MessageError 503 while it is unknown */
  open(sources: LogSources, owner: string): OpenLog
  /** The writes that empty it; absent where clients may not. */
  clear?(state: State, owner: string): Writes
  /** The diagnostic data that is collected into it: by this service, or by the program that has the log. */
  readonly collects?: { readonly type: (typeof diagnosticDataTypes)[number]; readonly isDump: boolean }
}
