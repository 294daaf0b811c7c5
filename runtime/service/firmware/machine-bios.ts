import {
  type Attribute,
  type BiosPending,
  biosUri,
  checkAttribute,
  notWritable,
  type TransferMessage,
  type Value,
  type Values
} from '#data/bios'
import type { Board, BoardSystem } from '#data/board'
import type { BiosSettings, BiosState } from '#hal/bios.ts'
import type { HalError } from '#hal/errors.ts'
import type { Closable } from '#runtime/base/opening.ts'
import { type Command, type Event, event, fail, MessageError, message, type Tables } from '#runtime/contract'
import { pointerToken } from '#runtime/schema'
import type { Source } from '#runtime/store/attached.ts'
import { type Documents, documentsPath } from '#runtime/store/documents.ts'
import type { Secrets } from '#runtime/store/secrets.ts'
import type { Store } from '#runtime/store/store.ts'
import { explain } from '../machine/machine.ts'
import { attributeOf, madeRegistry } from './bios-registry.ts'

/** The known state of the settings of a system. */
interface Seen {
  /** As it was last while it was known. */
  state: BiosState | undefined
  isKnown: boolean
  edition: number
  /** The pending values when they were cleared: the firmware has taken them if it reports its attributes next. */
  taken: BiosState | undefined
  /** How the last transfer went that was seen. */
  transfer: Pick<Tables['biosCurrent'], 'messages' | 'transferredAt'>
}

/**
 * BIOS settings that another program holds: the current and the pending ones are those of their devices, and so is the
 * attribute registry. The firmware takes what is pending itself, at its next start.
 */
export class MachineBios implements Closable {
  readonly #store: Store
  readonly #events: { emit(event: Event): unknown }
  readonly #board: Board
  readonly #bios: ReadonlyMap<string, BiosSettings>
  readonly #now: () => number
  readonly #ends: (() => void)[]
  /** They tell the store that a record has changed. */
  readonly #tellers = new Set<(system: string) => void>()
  /** Systems whose settings a request changes, which has an event by itself. */
  readonly #written = new Set<string>()
  readonly #seen = new Map<string, Seen>()

  constructor(
    store: Store,
    events: { emit(event: Event): unknown },
    board: Board,
    bios: ReadonlyMap<string, BiosSettings>,
    now: () => number
  ) {
    this.#store = store
    this.#events = events
    this.#board = board
    this.#bios = bios
    this.#now = now
    for (const [system, { state, edition }] of bios) {
      const transfer = { messages: [], transferredAt: undefined }
      this.#seen.set(system, { state, isKnown: state !== undefined, edition, taken: undefined, transfer })
    }
    store.revisions.device(documentsPath)
    this.#ends = [
      store.attach('biosCurrent', this.#current()),
      store.attach('biosPending', this.#pending()),
      ...[...bios].map(([system, device]) => device.on(() => this.#changed(system, device)))
    ]
    this.#forget()
  }

  close(): void {
    for (const end of this.#ends) end()
  }

  /** @throws MessageError 400 if the old password is wrong, 503 when the program is away or fails */
  async changePassword(
    { system, whose, present, next }: Command<'changeBiosPassword'>,
    secrets: Pick<Secrets, 'open'>
  ): Promise<void> {
    try {
      await this.#bios.get(system)?.changePassword(whose, secrets.open(present) ?? '', secrets.open(next) ?? '')
    } catch (error) {
      if ((error as HalError).code === 'EINVAL')
        fail(400, 'Base.ActionParameterValueError', 'OldPassword', 'Bios.ChangePassword')
      // No password is for the log.
      throw explain(error as HalError, { kind: 'changeBiosPassword', system }, this.#store.log)
    }
  }

  /** The documents together with the registries of these systems: one is there once its firmware has told its attributes. */
  documents(own: Documents): Documents {
    const names = new Map(
      [...this.#bios.keys()].map((system) => [`registries/${this.#system(system).attributeRegistry}.json`, system])
    )
    const isKnown = (name: string) => this.#bios.get(names.get(name) ?? '')?.state !== undefined
    return {
      get: (name) => {
        const system = names.get(name)
        if (system === undefined) return own.get(name)
        return isKnown(name) ? this.#registry(system) : undefined
      },
      get names() {
        return [...own.names.filter((name) => !names.has(name)), ...[...names.keys()].filter(isKnown)]
      }
    }
  }

  #system(id: string): BoardSystem {
    return this.#board.systems[id] as BoardSystem
  }

  #registry(system: string) {
    return madeRegistry(this.#system(system), this.#bios.get(system)?.attributes() ?? [])
  }

  #source<T extends 'biosCurrent' | 'biosPending'>(
    members: readonly (keyof Tables[T] & string)[],
    get: (state: BiosState, system: string) => Tables[T] | undefined,
    write: Source<T>['write']
  ): Source<T> {
    const record = (system: string) => {
      const state = this.#bios.get(system)?.state
      return state && get(state, system)
    }
    return {
      members,
      decides: (system) => this.#bios.has(system),
      keys: () => [...this.#bios.keys()].filter((system) => record(system) !== undefined),
      get: record as Source<T>['get'],
      write,
      on: (listener) => {
        this.#tellers.add(listener)
        return () => this.#tellers.delete(listener)
      }
    }
  }

  #current(): Source<'biosCurrent'> {
    return this.#source(
      ['attributes', 'passwords', 'takesPasswords', 'transferredAt', 'messages'],
      ({ current, takesPasswords }, system) => ({
        attributes: current,
        passwords: {},
        takesPasswords,
        ...(this.#seen.get(system) as Seen).transfer
      }),
      // Only the firmware sets them.
      async () => fail(409, 'Mgmt.InvalidOperationForSystemState')
    )
  }

  #pending(): Source<'biosPending'> {
    return this.#source(
      ['attributes', 'reset', 'passwords'],
      (state) => (isWaiting(state) ? { attributes: state.pending, reset: state.reset, passwords: {} } : undefined),
      (system, members) => this.#write(system, members ?? { attributes: {}, reset: false })
    )
  }

  /** @throws MessageError 400 for values that the registry does not allow, and for passwords */
  async #write(system: string, { attributes, reset, passwords = {} }: Partial<BiosPending>): Promise<void> {
    const device = this.#bios.get(system) as BiosSettings
    const { pending = {}, reset: isReset = false } = device.state ?? {}
    if (Object.values(passwords).some((hash) => hash !== ''))
      fail(400, 'Base.ActionNotSupported', 'Bios.ChangePassword')
    const wanted = attributes ?? pending
    const added = Object.entries(wanted).filter(([name, value]) => !has(pending, name, value))
    refuseFaults(device, new Map(added))
    this.#written.add(system)
    try {
      await device.ask(wanted, reset ?? isReset)
    } catch (error) {
      if ((error as HalError).code === 'EINVAL')
        throw new MessageError(400, [message('Base.PropertyValueError', 'Attributes')])
      throw explain(error as HalError, { kind: 'biosPending', system }, this.#store.log)
    } finally {
      this.#written.delete(system)
    }
  }

  #changed(system: string, { state, edition }: BiosSettings): void {
    const seen = this.#seen.get(system) as Seen
    const { state: before } = seen
    const isNew = edition !== seen.edition || (state !== undefined) !== seen.isKnown
    Object.assign(seen, { edition, isKnown: state !== undefined, state: state ?? before })
    const events = state === undefined || before === undefined ? [] : this.#follow(system, seen, before, state)
    if (isNew) this.#store.revisions.moved(documentsPath)
    for (const tell of this.#tellers) tell(system)
    for (const each of events) void this.#events.emit(each)
  }

  /** The events of a change, and what is known of transfers after it. */
  #follow(system: string, seen: Seen, before: BiosState, state: BiosState): Event[] {
    const isWritten = this.#written.has(system)
    const isRetold = state.current !== before.current
    if (isWaiting(state)) seen.taken = undefined
    else if (isWaiting(before) && !isWritten) seen.taken = before
    const events: Event[] = []
    if (isRetold && seen.taken !== undefined) {
      const messages = messagesOf(seen.taken, state)
      seen.transfer = { messages, transferredAt: new Date(this.#now()).toISOString() }
      seen.taken = undefined
      events.push(event('MgmtEvents.BiosSettingsTransferred', biosUri(system), String(messages.length - 1)))
    }
    if (isRetold) events.push(event('ResourceEvent.ResourceChanged', biosUri(system)))
    const isOther = JSON.stringify([before.pending, before.reset]) !== JSON.stringify([state.pending, state.reset])
    if (isOther && !isWritten) events.push(event('ResourceEvent.ResourceChanged', `${biosUri(system)}/Settings`))
    return events
  }

  /** Removes what the disk has of these settings, from a time at which this service applied them. */
  #forget(): void {
    const gone = (table: 'biosCurrent' | 'biosPending') =>
      Object.fromEntries(this.#store.orphans(table).map((system) => [system, null]))
    this.#store
      .commit(() => ({ biosCurrent: gone('biosCurrent'), biosPending: gone('biosPending') }))
      .catch((error: Error) => {
        this.#store.log.error('what was stored of BIOS settings was not removed', { cause: error.message })
      })
  }
}

const isWaiting = ({ pending, reset }: BiosState) => reset || Object.keys(pending).length > 0

const has = (values: Values, name: string, value: Value) => Object.hasOwn(values, name) && values[name] === value

const related = (name: string) => [`#/Attributes/${pointerToken(name)}`]

/** The messages of a transfer by the firmware, in the form that this service uses. The firmware gives no reasons. */
function messagesOf({ pending }: BiosState, { current }: BiosState): TransferMessage[] {
  const refused = Object.entries(pending).filter(([name, value]) => !has(current, name, value))
  const messages = refused.map(([name]) => ({ ...notWritable(name), related: related(name) }))
  return [{ key: 'Base.Success', args: [] }, ...messages]
}

/** @throws MessageError 400 with a message for each value that an attribute cannot have */
function refuseFaults(device: BiosSettings, values: ReadonlyMap<string, Value>): void {
  if (values.size === 0) return
  const known = new Map<string, Attribute>()
  for (const each of device.attributes()) if (values.has(each.name)) known.set(each.name, attributeOf(each, 1))
  const faults = [...values].flatMap(([name, value]) => {
    const fault = checkAttribute(name, known.get(name), value)
    return fault === undefined ? [] : [{ ...fault, related: related(name) }]
  })
  if (faults.length > 0) throw new MessageError(400, faults)
}
