import { randomBytes } from 'node:crypto'
import { accountUri, forgetSecondFactor, predefinedRole } from '#data/accounts'
import type { HalError } from '#hal/errors.ts'
import type { User, UserChange, Users } from '#hal/users.ts'
import { hex } from '#runtime/base/bytes.ts'
import type { Closable } from '#runtime/base/opening.ts'
import {
  busy,
  type Event,
  event,
  fail,
  MessageError,
  merged,
  message,
  type Tables,
  type Writes
} from '#runtime/contract'
import type { Source } from '#runtime/store/attached.ts'
import type { Store } from '#runtime/store/store.ts'
import { explain } from '../machine/machine.ts'

/** In place of a hash: the password of a user, or one that is to be set. */
const ofUser = 'user$'
const toSet = 'set$'

/** The most passwords that wait to be set, and milliseconds for which one does. */
const mostWaiting = 100
const longestWait = 60_000

/** The end of a lockout that the machine, and not a clock, ends. */
const untilUnlocked = Number.MAX_SAFE_INTEGER

/**
 * Accounts that are the users of the machine. Their records have what the machine says of them, and beside it what only
 * this service knows. Passwords are checked and set by the machine; this service keeps no hash of them. A change of a
 * user by another program is an event.
 */
export class MachineUsers implements Closable {
  readonly #store: Store
  readonly #events: { emit(...events: readonly Event[]): unknown }
  readonly #users: Users
  /** Passwords that a request has given, until its record is stored. */
  readonly #waiting = new Map<string, string>()
  /** The ends of lockouts by this service: other programs can lift a lock of a user, and set none. */
  readonly #locks = new Map<string, number>()
  /** Users who are gone, while what is stored of them is removed: no other user of the name is seen before. */
  readonly #leaving = new Set<string>()
  #tell: (names: Iterable<string>) => void = () => undefined
  readonly #end: () => void

  constructor(store: Store, events: { emit(...events: readonly Event[]): unknown }, users: Users) {
    this.#store = store
    this.#events = events
    this.#users = users
    this.#end = store.attach('account', this.#source())
    if (users.users !== undefined) this.#forget()
  }

  /** Whether the machine has said which users there are. */
  get areKnown(): boolean {
    return this.#users.users !== undefined
  }

  close(): void {
    this.#end()
    this.#waiting.clear() // passwords do not outlive the service
  }

  /** A text that stands for a password until it is stored in a record. */
  keep(password: string): string {
    const ticket = `${toSet}${hex(randomBytes(16))}`
    const [oldest = ''] = this.#waiting.keys()
    if (this.#waiting.size >= mostWaiting) this.#waiting.delete(oldest)
    this.#waiting.set(ticket, password)
    setTimeout(() => this.#waiting.delete(ticket), longestWait).unref()
    return ticket
  }

  /**
   * Whether a user has a password. An unknown user has none.
   *
   * @throws MessageError 503 when passwords cannot be checked
   */
  async matches(user: string, password: string, address: string): Promise<boolean> {
    try {
      return (await this.#users.verify(user, password, address)) !== 'denied'
    } catch (error) {
      throw explain(error as HalError, { kind: 'verify', user }, this.#store.log)
    }
  }

  /** The user whose password a record has. */
  userOf(stored: string): string {
    return stored.slice(ofUser.length)
  }

  #source(): Source<'account'> {
    const device = this.#users
    let wereKnown = this.areKnown
    return {
      members: ['name', 'role', 'password', 'enabled', 'passwordChangeRequired', 'lockedUntil'],
      decides: true,
      keys: () => [...(device.users?.keys() ?? [])].filter((name) => !this.#leaving.has(name)),
      get: (name) => {
        const user = this.#leaving.has(name) ? undefined : device.users?.get(name)
        return user && recordOf(name, user, this.#locks.get(name))
      },
      write: (name, members) => this.#write(name, members),
      on: (listener) => {
        this.#tell = (names) => {
          const events = [...names].flatMap((name) => {
            const done = listener(name)
            return done === undefined ? [] : event(`ResourceEvent.Resource${done}`, accountUri(name))
          })
          if (wereKnown && events.length > 0) this.#events.emit(...events)
          wereKnown = this.areKnown
        }
        return device.on((names) => {
          this.#tell(names)
          this.#forget()
        })
      }
    }
  }

  async #write(name: string, members: Partial<Tables['account']> | null): Promise<void> {
    const { password, lockedUntil, passwordChangeRequired, role, enabled, name: next } = members ?? {}
    if (passwordChangeRequired === true && this.#users.users?.get(name)?.expired !== true)
      fail(400, 'Base.PropertyNotWritable', 'PasswordChangeRequired')
    if (role !== undefined && !isUserRole(role)) fail(400, 'Base.PropertyValueNotInList', role, 'RoleId')
    if (lockedUntil !== undefined && lockedUntil > 0) {
      this.#locks.set(name, lockedUntil)
      return
    }
    const wanted = password === undefined ? undefined : this.#redeem(password)
    const change: UserChange = {
      password: wanted,
      role,
      enabled,
      locked: lockedUntil === 0 && this.#users.users?.get(name)?.locked === true ? false : undefined,
      name: next
    }
    try {
      if (members === null) await this.#users.remove(name)
      else if (this.#users.users?.has(name)) await this.#users.change(name, change)
      else await this.#users.create(name, { role: change.role ?? 'None', enabled: enabled ?? true }, wanted ?? '')
    } catch (error) {
      if ((error as HalError).code === 'EINVAL')
        throw new MessageError(400, [
          message('Base.PropertyValueError', wanted === undefined ? 'UserName' : 'Password')
        ])
      throw explain(error as HalError, { kind: 'user', user: name }, this.#store.log)
    }
    if (members === null || lockedUntil === 0) this.#locks.delete(name)
  }

  /** @throws MessageError 503 for a password that has been forgotten since */
  #redeem(ticket: string): string | undefined {
    if (ticket.startsWith(ofUser)) return undefined
    const password = this.#waiting.get(ticket)
    this.#waiting.delete(ticket)
    if (password === undefined) throw busy(1)
    return password
  }

  /** Removes what is stored of users who are gone, so that a later user of the same name does not inherit it. */
  #forget(): void {
    for (const name of this.#locks.keys()) if (!this.#users.users?.has(name)) this.#locks.delete(name)
    const factors = this.#store.keys('secondFactor').filter((name) => this.#users.users?.has(name) === false)
    const all = new Set([...this.#store.orphans('account'), ...factors])
    const gone = [...all].filter((name) => !this.#leaving.has(name))
    if (gone.length === 0) return
    for (const name of gone) this.#leaving.add(name)
    const writes = gone.map((name): Writes => ({ account: { [name]: null }, ...forgetSecondFactor(name) }))
    this.#store
      .commit(writes.reduce(merged))
      .catch((error: Error) => {
        this.#store.log.error('what was stored of removed users was not removed', { cause: error.message })
      })
      .then(() => {
        for (const name of gone) this.#leaving.delete(name)
        this.#tell(gone)
      })
  }
}

/** The machine knows the predefined roles only. */
function isUserRole(role: string): role is User['role'] {
  return predefinedRole(role) !== undefined
}

function recordOf(name: string, { role, enabled, locked, expired }: User, locks = 0): Partial<Tables['account']> {
  return {
    name,
    role: role === 'None' ? '' : role,
    password: `${ofUser}${name}`,
    enabled,
    passwordChangeRequired: expired,
    lockedUntil: locked ? untilUnlocked : locks
  }
}
