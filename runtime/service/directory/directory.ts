import {
  type DirectoryKind,
  type DirectoryServer,
  type DirectorySettings,
  directoryAccount,
  directoryOf,
  directorySettings,
  parseDirectoryServer,
  roleOf,
  rolePrivileges,
  sessionPolicy,
  userName
} from '#data/accounts'
import type { Configuration } from '#data/configuration'
import type { Clock } from '#hal/clock.ts'
import { type Caller, MessageError, message, type Proof } from '#runtime/contract'
import type { Secrets } from '#runtime/store/secrets.ts'
import type { Store } from '#runtime/store/store.ts'
import { LoginQueue } from '../accounts/login-queue.ts'
import { type ExternalSource, Unreachable } from '../accounts/user-source.ts'
import { DirectoryConnection, DirectoryError } from './connection.ts'
import { type Directions, type DirectoryUser, logIn, tryOut } from './login.ts'

/** Users without a session who are remembered: those who send their password with each request. */
const rememberedUsers = 64

/** A user may have a name that an account could have, so that it is safe wherever names are shown. */
const isUserName = (user: string) => user.length <= userName.maxLength && new RegExp(userName.pattern).test(user)

export interface DirectoryParts {
  readonly store: Store
  readonly secrets: Pick<Secrets, 'open'>
  readonly configuration: Configuration
  readonly clock: Clock
}

interface Remembered extends DirectoryUser {
  readonly generation: string
  readonly until: number
}

interface Memory {
  readonly turns: LoginQueue
  /** By account. */
  readonly users: Map<string, Remembered>
  /** Until when servers that did not answer are left alone, by their addresses, and the settings that this is known of. */
  readonly pauses: Map<string, number>
  pausesOf: string
}

/**
 * The users of LDAP or of Active Directory. A login asks the directory. Afterwards a user is known by the session, or
 * for a while after sending the password. State is allocated at first use.
 */
export class Directory implements ExternalSource {
  readonly verifiedFor = 10_000
  readonly kind: DirectoryKind
  readonly #parts: DirectoryParts
  #memory: Memory | undefined
  isDown = false

  constructor(kind: DirectoryKind, parts: DirectoryParts) {
    this.kind = kind
    this.#parts = parts
  }

  get isEnabled(): boolean {
    return this.#parts.store.get('directory', this.kind)?.enabled === true
  }

  has(account: string): boolean {
    return directoryOf(account) === this.kind
  }

  revision(): number {
    return this.#parts.store.revisions.of(`directory/${this.kind}`)
  }

  async verify(user: string, password: string, address: string): Promise<Caller | undefined> {
    if (!isUserName(user) || password === '') return undefined
    const before = this.#settings
    const account = directoryAccount(this.kind, user)
    const found = await this.#known.turns.run({ user: account, address }, () => this.#ask(before, user, password))
    if (found === undefined || !this.isEnabled || this.#settings.generation !== before.generation) return undefined
    this.#remember(account, found)
    return this.#caller(account, found, address)
  }

  /**
   * Asks each server whether it does what logins need, each in a turn of its own. It is no login: nothing is counted or
   * remembered, and a server that was left alone is asked, too.
   *
   * @param address of the client
   * @throws MessageError 400 DirectoryTestFailed for each server that does not, 503 where too many logins wait
   */
  async test(address: string): Promise<void> {
    const settings = this.#settings
    const failures = await Promise.all(
      settings.addresses.map(async (server) => {
        const cause = await this.#known.turns.run({ user: '', address }, () => this.#faultOf(server, settings))
        return cause === undefined ? [] : [message('Mgmt.DirectoryTestFailed', server, cause)]
      })
    )
    if (failures.flat().length > 0) throw new MessageError(400, failures.flat())
  }

  named({ account, session }: Omit<Proof, 'user'>, address: string): Caller | undefined {
    if (!this.isEnabled) return undefined
    const { store, clock } = this.#parts
    if (session !== undefined) {
      const { directory } = store.get('session', session) ?? {}
      return directory && this.#caller(account, { name: directory.user, role: directory.role }, address, session)
    }
    const known = this.#memory?.users.get(account)
    if (known === undefined || known.generation !== this.#settings.generation) return undefined
    return known.until > clock.elapsed() ? this.#caller(account, known, address) : undefined
  }

  /** Made by the first login: a controller of a fleet seldom has one. */
  get #known(): Memory {
    const { logins, queue } = this.#parts.configuration.directory
    this.#memory ??= { turns: new LoginQueue(logins, queue), users: new Map(), pauses: new Map(), pausesOf: '' }
    return this.#memory
  }

  get #settings(): DirectorySettings {
    return directorySettings(this.kind, this.#parts.store.get('directory', this.kind))
  }

  /** Asks the servers in order, but for those that did not answer a moment ago. */
  async #ask(settings: DirectorySettings, user: string, password: string): Promise<DirectoryUser | undefined> {
    const { clock, configuration, store } = this.#parts
    const known = this.#known
    if (known.pausesOf !== settings.generation) known.pauses.clear()
    known.pausesOf = settings.generation
    for (const address of settings.addresses) {
      const server = parseDirectoryServer(address)
      if (server === undefined || (known.pauses.get(address) ?? 0) > clock.elapsed()) continue
      try {
        const found = await this.#at(server, settings, (connection, directions) =>
          logIn(connection, directions, user, password)
        )
        this.#answered(address)
        return found
      } catch (error) {
        if (!(error instanceof DirectoryError)) throw error
        store.log.warning('a directory did not say who a user is', { address, cause: error.message })
        if (!error.isOfServer) {
          this.#answered(address)
          return undefined
        }
        known.pauses.set(address, clock.elapsed() + configuration.directory.pause * 1000)
      }
    }
    this.isDown = true
    throw new Unreachable(configuration.directory.pause)
  }

  #answered(address: string): void {
    this.#known.pauses.delete(address)
    this.isDown = false
  }

  /** Why a server does not do what logins need; undefined if it does. */
  async #faultOf(address: string, settings: DirectorySettings): Promise<string | undefined> {
    try {
      await this.#at(parseDirectoryServer(address)!, settings, tryOut)
      return undefined
    } catch (error) {
      if (error instanceof DirectoryError) return error.message
      throw error
    }
  }

  /** Asks a server something over a connection of its own. */
  async #at<T>(
    server: DirectoryServer,
    settings: DirectorySettings,
    ask: (connection: DirectoryConnection, directions: Directions) => Promise<T>
  ): Promise<T> {
    const { store, secrets, configuration } = this.#parts
    const authorities = store.keys('trustedCertificate').map((id) => store.get('trustedCertificate', id)?.pem ?? '')
    const bindPassword = secrets.open(settings.bindPassword) ?? ''
    const limits = configuration.directory
    const connection = await DirectoryConnection.open(server, authorities, limits)
    try {
      return await ask(connection, { kind: this.kind, settings, bindPassword, limits })
    } finally {
      connection.close()
    }
  }

  #remember(account: string, user: DirectoryUser): void {
    const { store, configuration, clock } = this.#parts
    const { timeout } = sessionPolicy(store.get('sessionService', 'settings'), configuration)
    const { users } = this.#known
    const { generation } = this.#settings
    users.delete(account)
    users.set(account, { ...user, generation, until: clock.elapsed() + timeout * 1000 })
    const [oldest = ''] = users.keys()
    if (users.size > rememberedUsers) users.delete(oldest)
  }

  #caller(account: string, { name, role }: DirectoryUser, address: string, session?: string): Caller | undefined {
    const privileges = rolePrivileges(roleOf(this.#parts.store, role))
    if (!privileges.has('LoginPriv')) return undefined
    const { generation } = this.#settings
    const caller = { account, user: name, role, privileges, address, passwordChangeRequired: false, generation }
    return session === undefined ? caller : { ...caller, session }
  }
}
