import type { NumberOfArgs } from '#generated/number-of-args.ts'
import base from '#registries/base.json' with { type: 'json' }
import mgmt from '#registries/mgmt.json' with { type: 'json' }
import mgmtEvents from '#registries/mgmt-events.json' with { type: 'json' }
import mgmtResourceEvents from '#registries/mgmt-resource-events.json' with { type: 'json' }
import networkDevice from '#registries/network-device.json' with { type: 'json' }
import resourceEvent from '#registries/resource-event.json' with { type: 'json' }
import storageDevice from '#registries/storage-device.json' with { type: 'json' }
import taskEvent from '#registries/task-event.json' with { type: 'json' }
import telemetry from '#registries/telemetry.json' with { type: 'json' }
import update from '#registries/update.json' with { type: 'json' }

type Registry = { readonly RegistryVersion: string; readonly Messages: Readonly<Record<string, MessageDefinition>> }

const registries: Readonly<Record<string, Registry>> = {
  Base: base,
  Mgmt: mgmt,
  MgmtEvents: mgmtEvents,
  MgmtResourceEvents: mgmtResourceEvents,
  NetworkDevice: networkDevice,
  ResourceEvent: resourceEvent,
  StorageDevice: storageDevice,
  TaskEvent: taskEvent,
  Telemetry: telemetry,
  Update: update
}

/** A message by registry and key; its version is added when it is written (DSP0266 9.5.11.2). */
export type MessageKey = keyof NumberOfArgs

/** A message that tells what happened; those of `Base` and `Mgmt` answer requests. */
export type EventKey = Exclude<MessageKey, `Base.${string}` | `Mgmt.${string}`>

/** Arguments by their number, as far as there are messages that take so many. */
interface Arguments {
  0: []
  1: [string]
  2: [string, string]
  3: [string, string, string]
  4: [string, string, string, string]
}

/** The arguments of a message in the order of the registry's `%1`, `%2`, …; of several, where all take as many. */
export type MessageArgs<K extends MessageKey> = {
  [N in keyof Arguments]: [NumberOfArgs[K]] extends [N] ? Arguments[N] : never
}[keyof Arguments]

/** A registry message as handlers speak of it. */
export interface Message {
  readonly key: MessageKey
  readonly args: readonly string[]
  /** JSON pointers to the properties that it is about. */
  readonly related?: readonly string[] | undefined
}

/** A definition in a message registry (DSP0266 9.5.11), as far as it is in memory: the registry's document has all of it. */
export interface MessageDefinition {
  readonly Message: string
  readonly MessageSeverity: string
  readonly Severity: string
  readonly Resolution: string
}

export function message<K extends MessageKey>(key: K, ...args: MessageArgs<K>): Message {
  return { key, args }
}

/** The registry's definition of a message. */
export function define(key: MessageKey): MessageDefinition {
  const [registry = '', name = ''] = key.split('.')
  const definition = registries[registry]?.Messages[name]
  if (definition === undefined) throw new RangeError(`no message ${key}`)
  return definition
}

/** The text of a message with its arguments in their places. */
export function messageText({ key, args }: Message): string {
  return define(key).Message.replace(/%(\d)/g, (_, place: string) => args[Number(place) - 1] ?? '')
}

/** The version that a registry's messages have in their ids: major and minor. */
export function registryVersion(prefix: string): string {
  return /^\d+\.\d+/.exec(registries[prefix]?.RegistryVersion ?? '')?.[0] ?? ''
}

/** Something that happened, as a registry message and the canonical URI, without a trailing slash, of what it is about. */
export interface Event {
  readonly message: Message
  readonly origin: string
  /** The name of the condition of its origin that begins or ends with it: see `#data/health`. */
  readonly raises?: string
  readonly clears?: string
  /** In place of the severity that the registry says. */
  readonly severity?: 'OK' | 'Warning' | 'Critical'
  /** Whether it is an entry of a log, and whether it is for subscribers; absent: as all events of its registry. */
  readonly audience?: { readonly log: boolean; readonly subscribers: boolean }
}

export function event<K extends EventKey>(key: K, origin: string, ...args: MessageArgs<K>): Event {
  return { message: message(key, ...args), origin }
}

/** An event that did not happen: a client wants to see it arrive, worded as the client says. */
export interface TestEvent {
  readonly test: {
    /** With the registry's version; of any registry. */
    readonly messageId: string
    readonly args: readonly string[]
    readonly text: string
    readonly severity: 'OK' | 'Warning' | 'Critical'
    /** The canonical URI, without a trailing slash, of what it is about; empty if it is about nothing. */
    readonly origin: string
    readonly eventId?: string
    readonly timestamp?: string
    /** `EventType` and `EventGroupId` (DSP0268, Event). */
    readonly eventType?: string
    readonly group?: number
  }
}

export function isTest(event: Event | TestEvent): event is TestEvent {
  return 'test' in event
}

/** The registry's words for a message id of any version, or of none, and its severity; undefined if no registry here has it. */
export function lookUp(
  messageId: string,
  args: readonly string[]
): (Pick<TestEvent['test'], 'text' | 'severity'> & { readonly resolution: string }) | undefined {
  const prefix = messageId.slice(0, messageId.indexOf('.'))
  const name = messageId.slice(messageId.lastIndexOf('.') + 1)
  const registry = Object.hasOwn(registries, prefix) ? registries[prefix] : undefined
  if (registry === undefined || !Object.hasOwn(registry.Messages, name)) return undefined
  const key = `${prefix}.${name}` as MessageKey
  const { MessageSeverity, Resolution } = define(key)
  return {
    text: messageText({ key, args }),
    severity: MessageSeverity as 'OK' | 'Warning' | 'Critical',
    resolution: Resolution
  }
}
