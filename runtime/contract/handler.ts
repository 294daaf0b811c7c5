import type { FirmwareState, ResetKind } from '#hal/firmware.ts'
import type { IndicatorState } from '#hal/indicators.ts'
import type { NvramHealth, NvramSpace } from '#hal/nvram.ts'
import type { PortState } from '#hal/ports.ts'
import type { PowerOperation, PowerState } from '#hal/power.ts'
import type { PartCounters } from '#hal/sensors.ts'
import type { Infer, Resource, Writable } from '#runtime/schema'
import type { Event, Message, TestEvent } from './messages.ts'
import type { HeldPrivilege, Privilege } from './privileges.ts'
import type { Tables } from './tables.ts'

export type { PartCounters }

/**
 * The requirement of a method: one privilege; one of several (`ConfigureSelf` is held by the resource's owner, whom the
 * handler's `owner` export names); all of several; or `NoAuth`, nothing at all.
 */
export type Requirement =
  | Privilege
  | 'NoAuth'
  | readonly (Privilege | 'ConfigureSelf')[]
  | { readonly all: readonly Privilege[] }

export const methods = ['GET', 'PATCH', 'POST', 'PUT', 'DELETE'] as const

export type Method = (typeof methods)[number]

/** The methods of one resource, for a file that exports more than all resources of its template have. */
export type Methods = (params: Readonly<Record<string, string>>) => readonly Method[]

/** The requirement of each exported method of a handler file. */
export type Privileges = { readonly [M in Method]?: Requirement }

/** The proof of a caller's identity, which can be checked again at any time. */
export interface Proof {
  /** The id of the account, which stays when the user gets another name; empty without a login. */
  readonly account: string
  readonly user: string
  /** The session that the request came with; absent with HTTP Basic. */
  readonly session?: string
  /** Of the account, as it was when the caller proved to be its owner. */
  readonly generation?: string
  /** The SHA-256 of the certificate that stands for the user; absent if a password was the proof. */
  readonly certificate?: string | undefined
  /** The kind of the second factor; absent without one. */
  readonly secondFactor?: string | undefined
}

/** The client who sends a request. */
export interface Caller extends Proof {
  readonly role: string
  readonly privileges: ReadonlySet<HeldPrivilege>
  /** The client's IP address. */
  readonly address: string
  /** Until the password is changed, the caller may do no more than change it (DSP0266 13.2.6). */
  readonly passwordChangeRequired: boolean
  /** Until there is a key for one-time codes, the caller may do no more than make one. */
  readonly secretKeyRequired?: true
}

/** Stored state, read-only. A change of what an answer has read here makes its cached copy stale. */
export interface State {
  get<T extends keyof Tables>(table: T, key: string): Tables[T] | undefined
  /** The keys of a table in order. */
  keys<T extends keyof Tables>(table: T): readonly string[]
}

/**
 * The managed machine as it is now. `#data/board` adds its inventory, which never changes while the service runs, and
 * `#data/bios` the attribute registry of its BIOS.
 */
export interface Machine {
  /** Undefined while it is unknown. */
  power(system: string): PowerState | undefined
  indicator(chassis: string): IndicatorState
  /** A network port of the controller. */
  port(manager: string, ethernetInterface: string): PortState
  /** The traffic counters of a port of the controller. An answer that reads them is not cached. */
  portCounters(manager: string, ethernetInterface: string): PartCounters['links'] | undefined
  /** The slots of a component, by its id; undefined if it takes no update. See `#data/updates`. */
  firmware(component: string): FirmwareState | undefined
  /** The health of the store of UEFI variables, and its room in bytes; undefined where the controller reaches none. */
  nvram(system: string): { readonly health: NvramHealth; readonly space: NvramSpace } | undefined
  /** A UEFI variable as it will be at the next start of the host: what waits to be written over what is stored. */
  variable(
    system: string,
    name: string,
    guid: string
  ): { readonly attributes: number; readonly data: Uint8Array } | undefined
  /** The names of the variables with a GUID, at the next start of the host too. */
  variables(system: string, guid: string): readonly string[]
  /** The last reading of a sensor; undefined if it cannot be read. A new reading makes a cached answer with it stale. */
  reading(chassis: string, sensor: number): number | undefined
  /** Whether a part counts anything; it never changes. */
  counts(chassis: string, kind: keyof PartCounters, part: string): boolean
  /** The counters of a part at the last poll of the sensors. The next poll makes a cached answer with them stale. */
  counters<K extends keyof PartCounters>(chassis: string, kind: K, part: string): PartCounters[K] | undefined
}

/**
 * Each noun adds the part of the context that is its own, beside its records: `configuration`, `credentials`,
 * `ownCertificate` and the like. `docs/map.md` lists who adds what.
 */
// biome-ignore lint/suspicious/noEmptyInterface: nouns add their parts to it.
export interface Services {}

/** A value that changes without a revision, or differs from caller to caller: an answer that shows it is not cached. */
export type Volatile = 'caller' | 'clock' | 'delivery' | 'resources' | 'session'

/** The request for which a member of the context is computed. Reads through it decide whether its answer is cached. */
export interface Reader {
  /** Its client. The answer depends on who that is. */
  readonly caller: Caller
  /** The address that it reached; undefined for a GET, whose answer cannot depend on it, and if it came over no network. */
  readonly localAddress: string | undefined
  /** Notes that the answer depends on the revision of a path. */
  track(path: string): void
  /** Notes that the answer depends on what has no revision. */
  depends(on: Volatile): void
}

/**
 * The members that a service adds to the context of handlers, as its method `members` makes them for a request. Each
 * notes in the reader what the answer depends on when a handler calls it, not before.
 */
export type Members<Name extends keyof Services> = Pick<Services, Name>

/**
 * Everything that a handler may know. A handler touches nothing beyond it. Members that services add are made when a
 * handler asks for them, so a copy by `...` has none of them: see `withBody`.
 */
export interface Context<P extends string = never, B = undefined> extends Services {
  readonly params: Readonly<Record<P, string>>
  /** The canonical URI of this resource, without a trailing slash. */
  readonly uri: string
  /** The checked body. */
  readonly body: B
  readonly caller: Caller
  readonly machine: Machine
  readonly state: State
  /** A file made at build time (a registry, a schema, `$metadata`). */
  document(name: string): Document | undefined
  /** The names of the files made at build time. */
  readonly documents: readonly string[]
  /** The time, now; an answer that reads it is not cached. See `time`. */
  now(): Date
  /**
   * The time, now, in ISO 8601, for an answer to show as it is: a cached answer shows the time of each request.
   *
   * @param offset of the clock from universal time, such as +02:00
   */
  time(offset?: string): string
  /** Seals what must be read again, and must not be readable in the store. See `Secrets`. */
  seal(text: string): string
  /** Random hex digits from the system's generator, two for each byte. */
  random(bytes: number): string
}

/** The context of the same request with another body. */
export function withBody<P extends string, B>(context: Context<P, unknown>, body: B): Context<P, B> {
  return Object.create(context, { body: { value: body, enumerable: true } }) as Context<P, B>
}

/**
 * Whether there is what a path names: a resource with all that is below it, or an action. Where it says no, the runtime
 * answers 404 and leaves out links, `child(…)`, and actions that lead there.
 */
export type Exists<P extends string = never> = (context: Pick<Context<P>, 'params' | 'machine' | 'state'>) => boolean

/** Records to store: for each table, records by key. Members that are `undefined` stay as they are; `null` deletes. */
export type Writes = { readonly [T in keyof Tables]?: { readonly [key: string]: Partial<Loose<Tables[T]>> | null } }

type Loose<T> = { readonly [K in keyof T]: T[K] | undefined }

/** The kinds of commands, and what each says. Nouns add those that they have the service carry out. */
export interface Commands {
  power: { readonly operation: PowerOperation; readonly system: string }
  indicator: { readonly state: IndicatorState; readonly chassis: string }
  /** Has the service start anew; with `reset`, the whole controller, where a device resets it. */
  restart: { readonly reset?: ResetKind }
}

/** A command for the machine, or for the service itself, to be carried out once the writes are durable. */
export type Command<Kind extends keyof Commands = keyof Commands> = {
  [K in Kind]: { readonly kind: K } & Commands[K]
}[Kind]

/**
 * The functions that carry out commands, by kind.
 *
 * @throws MessageError 400 or 409 when it cannot be done as it is asked for, 503 when a device is busy or fails
 */
export type Performers = { readonly [K in keyof Commands]: (command: Command<K>) => Promise<void> }

/** The result of a handler: everything that is to happen, and the answer if it does. */
export interface Outcome {
  /** 202: what was asked for goes on as the task at `location`. */
  readonly status: 200 | 201 | 202
  readonly messages: readonly Message[]
  readonly writes?: Writes
  readonly commands?: readonly Command[]
  /**
   * Events beyond those that the runtime tells by itself: that a resource was created, changed or removed. Events are
   * as durable as the writes; with commands they are sent only once those are carried out.
   */
  readonly events?: readonly (Event | TestEvent)[]
  readonly headers?: Readonly<Record<string, string>>
  /** 201 and 202: the canonical URI of what was created. */
  readonly location?: string
  /** Answer with the resource at `location`, as this caller sees it, instead of with messages alone. */
  readonly show?: Caller
  /** Members of an action's answer beside its messages (`CSRString` of GenerateCSR). */
  readonly result?: object
}

/** A text compressed with gzip, and its entity tag. */
export interface Document {
  readonly gzip: Uint8Array
  readonly tag: string
  /** It was made while the service runs, and another one may follow: its answers are not cached. */
  readonly changes?: boolean
}

/** A file as it is: `$metadata`, a registry file, a schema file. */
export interface File extends Document {
  readonly type: string
  readonly describedBy?: string | undefined
  /** Headers of its own: name, value, name, value, … */
  readonly headers?: readonly string[]
  /** The content under this name never changes. Clients may keep it for good. */
  readonly immutable?: boolean
}

/** Bytes as they are, which are not cached. */
export interface Bytes {
  readonly bytes: Uint8Array
}

/** A dump that another program has: which one. Its bytes are streamed as they are. */
export interface DumpFile {
  readonly dump: string
}

/** A stream of Server-Sent Events: which one. */
export interface EventStream {
  readonly stream: 'events'
}

/** The serial console of a system: what it said last, or an exchange with it over a WebSocket (RFC 6455). */
export interface SerialConsole {
  readonly console: string
}

/** The drive of a manager (`<manager>/<drive>`) to which a client gives a file over a WebSocket (RFC 6455). */
export interface MediumSocket {
  readonly drive: string
}

/*
 * A method returns its effects. The runtime calls it again when a record that it read has changed before the commit, so it
 * may await only work that may be done twice, or whose effect stays when the request fails:
 *
 * - `credentials.hash`, `credentials.matches` and `ownCertificate.makeRequest` compute, off the loop, and touch nothing.
 * - `credentials.verify` is a login attempt, and `credentials.verifyCode` is like one. A failed one is counted, logged and announced by an event, and the last one
 *   that the policy allows locks the account; it then throws 401. An outcome cannot have these effects: a handler that
 *   throws has no outcome, and the next attempt must see them before this one is answered. When the method is called
 *   again, a login that succeeded is not checked again unless the account has changed.
 *
 * `test/conformance/dependencies.test.ts` checks that handlers await nothing else.
 */
export type Get<S, P extends string = never> = (context: Context<P>) => Resource<S>
export type GetFile<P extends string = never> = (context: Context<P>) => File
export type GetBytes<P extends string = never> = (context: Context<P>) => Bytes
export type GetDump<P extends string = never> = (context: Context<P>) => DumpFile
export type GetStream<P extends string = never> = (context: Context<P>) => EventStream
export type GetConsole<P extends string = never> = (context: Context<P>) => SerialConsole
export type GetMedium<P extends string = never> = (context: Context<P>) => MediumSocket
export type Patch<S, P extends string = never> = (context: Context<P, Writable<S>>) => Outcome | Promise<Outcome>
export type Put<S, P extends string = never> = Patch<S, P>
export type Post<B, P extends string = never> = (context: Context<P, Infer<B>>) => Outcome | Promise<Outcome>
export type Delete<P extends string = never> = (context: Context<P>) => Outcome | Promise<Outcome>
