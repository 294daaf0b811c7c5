import { createHash, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  type Account,
  type AccountPolicy,
  accountNamed,
  accountPolicy,
  accountServiceUri,
  accountUri,
  type Credentials,
  privilegesOf
} from '#data/accounts'
import type { Configuration } from '#data/configuration'
import { type Clock, measured, timeOfDay } from '#hal/clock.ts'
import { bytes, hex, toBase64, utf8 } from '#runtime/base/bytes.ts'
import {
  type Caller,
  event,
  type Members,
  MessageError,
  message,
  type Privilege,
  type Proof,
  type Reader
} from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import { LoginQueue } from './login-queue.ts'
import type { MachineUsers } from './machine-users.ts'

const scheme = 'pbkdf2-sha256'
const keyLength = 32

/** Names of no account that failed to log in and are remembered; a flood of them takes no more memory. */
const rememberedNames = 256

/** How far off the stored end of a lockout may be, in milliseconds. */
const exactness = 1000

/** Milliseconds for which a password that the machine has verified is right: it does not tell when another one is set. */
const verifiedFor = 10_000

/** The end of a lockout that there is not. */
const never = Number.NEGATIVE_INFINITY

type Client = Pick<Caller, 'account' | 'address'>

/** Users and passwords: slow hashes, the lock-out after failures, and what spares Basic requests the slow hash. */
export class Accounts {
  readonly #store: Store
  readonly #configuration: Configuration
  readonly #events: Events
  readonly #clock: Clock
  /** A key of this process; what is kept of verified passwords is worthless without it. */
  readonly #key = hex(randomBytes(32))
  readonly #verified = new Map<string, { id: string; revision: number; until: number }>()
  readonly #verifying = new Map<string, Promise<Caller>>()
  /**
   * Until when accounts are locked, by their ids, on the clock that never leaps, and what the store said when that was
   * worked out.
   */
  readonly #locks = new Map<string, { readonly stored: number; readonly until: number }>()
  /**
   * Failed logins of accounts, by their ids, and of names that are no account's: a flood of these pushes no account's
   * counter out.
   */
  readonly #failures = new Map<string, { count: number; at: number }>()
  readonly #inventedFailures = new Map<string, { count: number; at: number }>()
  /** Failures that events were sent for, by account. */
  readonly #announced = new Map<string, { count: number; at: number }>()
  readonly #queue: LoginQueue
  #users: MachineUsers | undefined

  constructor(store: Store, configuration: Configuration, events: Events, clock: Clock) {
    this.#store = store
    this.#configuration = configuration
    this.#events = events
    this.#clock = clock
    this.#queue = new LoginQueue(configuration.limits.logins, configuration.limits.loginQueue)
    for (const id of store.keys('account')) this.#see(id)
    store.on('account', (id) => this.#see(id))
  }

  /** Has the machine check and set passwords from now on. */
  delegate(users: MachineUsers): void {
    this.#users = users
  }

  /** Whether it is known which accounts there are. */
  get areKnown(): boolean {
    return this.#users?.areKnown ?? true
  }

  /** The policy in force: the values PATCHed on the AccountService, else those of the configuration. */
  get policy(): AccountPolicy {
    return accountPolicy(this.#store.get('accountService', 'settings'), this.#configuration)
  }

  /** Whether requests may log in with HTTP Basic. */
  get basicAuth(): Configuration['basicAuth'] {
    return this.#store.get('accountService', 'settings')?.basicAuth ?? this.#configuration.basicAuth
  }

  /**
   * The caller that credentials make which were verified before, if the account has not changed since.
   *
   * @param credentials name, colon and password in base64, as HTTP Basic has them (RFC 7617)
   */
  recall(credentials: string, address: string): Caller | undefined {
    const known = this.#verified.get(this.#fingerprint(credentials))
    if (known === undefined || known.revision !== this.#store.revisions.of(`account/${known.id}`)) return undefined
    if (known.until < this.#clock.elapsed()) return undefined
    return this.isLocked(known.id) ? undefined : this.named({ account: known.id }, address)
  }

  members(reader: Reader): Members<'credentials' | 'isLocked'> {
    return {
      credentials: this.#credentials(reader),
      isLocked: (account) => {
        reader.depends('clock')
        return this.isLocked(account)
      }
    }
  }

  #credentials(reader: Reader): Credentials {
    return {
      verify: (user, password) => this.verify(user, password, reader.caller.address),
      hash: (password) => this.hash(reader.caller, password),
      matches: (password, hash) => this.#inTurn(reader.caller, () => this.#matches(password, hash)),
      hashOther: (password) => this.#slowHash(reader.caller, password),
      matchesOther: (password, hash) => this.#inTurn(reader.caller, () => matchesHash(password, hash)),
      digest: (token) => this.digest(token)
    }
  }

  /** As `Credentials` has it. */
  hash(client: Client, password: string): Promise<string> {
    if (this.#users !== undefined) return Promise.resolve(this.#users.keep(password))
    return this.#slowHash(client, password)
  }

  #slowHash(client: Client, password: string): Promise<string> {
    return this.#inTurn(client, () => slowHash(password, this.#configuration.password.iterations))
  }

  /** A client waits in line with others for slow work. */
  #inTurn<T>({ account: user, address }: Client, work: () => Promise<T>): Promise<T> {
    return this.#queue.run({ user, address }, work)
  }

  /** As `Credentials` has it. The same name and password at the same time are checked once. */
  async verify(user: string, password: string, address: string): Promise<Caller> {
    // No account has a colon in its name, which would read like a shorter name with a longer password.
    if (user.includes(':')) return this.#verify(user, password, address)
    const credentials = toBase64(utf8(`${user}:${password}`))
    const recalled = this.recall(credentials, address)
    if (recalled !== undefined) return recalled
    const fingerprint = this.#fingerprint(credentials)
    const underWay = this.#verifying.get(fingerprint)
    if (underWay !== undefined) return { ...(await underWay), address }
    const verifying = this.#verify(user, password, address, fingerprint)
    this.#verifying.set(fingerprint, verifying)
    try {
      return await verifying
    } finally {
      this.#verifying.delete(fingerprint)
    }
  }

  async #verify(user: string, password: string, address: string, fingerprint?: string): Promise<Caller> {
    const id = accountNamed(this.#store, user)
    const before = id === undefined ? undefined : this.#store.get('account', id)
    this.#refuseIfLocked(user, id)
    const turn = { user: id ?? '', address }
    const right = await this.#queue.run(turn, () =>
      this.#users === undefined
        ? matchesHash(password, before?.password ?? this.#decoyHash())
        : this.#users.matches(user, password, address)
    )
    // The account may have changed meanwhile: a password that was right then is not remembered as right now.
    const account = id === undefined ? undefined : this.#store.get('account', id)
    const same = account?.password === before?.password && account?.generation === before?.generation
    if (id === undefined || !right || !same || !account?.enabled) {
      return this.#failed(user, account && id, address)
    }
    this.#refuseIfLocked(user, id)
    this.#failures.delete(id)
    if (fingerprint !== undefined) this.#remember(id, fingerprint)
    return this.caller(id, account, address)
  }

  async #matches(password: string, stored: string): Promise<boolean> {
    const users = this.#users
    return users === undefined ? matchesHash(password, stored) : users.matches(users.userOf(stored), password, '')
  }

  /** Whether an account is locked after failed logins. */
  isLocked(id: string): boolean {
    return this.#lockedUntil(id) > this.#clock.elapsed()
  }

  /**
   * Has the store say when lockouts end as the clock is set now, and forget those that are over: a restart knows no
   * more.
   */
  tend(): void {
    // The machine ends the lockouts of its users itself.
    if (this.#users !== undefined) return
    for (const id of this.#store.keys('account')) {
      const stored = this.#store.get('account', id)?.lockedUntil ?? 0
      const lockedUntil = this.isLocked(id) ? timeOfDay(this.#clock, this.#lockedUntil(id)) : 0
      if (Math.abs(lockedUntil - stored) <= exactness) continue
      void this.#storeLock(id, lockedUntil, () => this.#store.get('account', id)?.lockedUntil === stored)
    }
  }

  digest(token: string): string {
    return createHash('sha256').update(token).digest('hex')
  }

  /**
   * The caller that the owner of an account is who was known by other means than a password that comes with the
   * request.
   */
  named({ account: id, session, certificate }: Omit<Proof, 'user'>, address: string): Caller | undefined {
    const account = this.#store.get('account', id)
    return account?.enabled ? this.caller(id, account, address, session, certificate) : undefined
  }

  caller(id: string, account: Account, address: string, session?: string, certificate?: string): Caller {
    const caller: { -readonly [Member in keyof Caller]: Caller[Member] } = {
      account: id,
      user: account.name,
      role: account.role,
      privileges: privileges(account),
      address,
      passwordChangeRequired: account.passwordChangeRequired
    }
    if (account.generation !== undefined) caller.generation = account.generation
    if (session !== undefined) caller.session = session
    if (certificate !== undefined) caller.certificate = certificate
    return caller
  }

  /** A hash that no password has: checking an unknown user takes as long as checking a known one. */
  #decoyHash(): string {
    return `${scheme}$${this.#configuration.password.iterations}$${'00'.repeat(16)}$${'00'.repeat(keyLength)}`
  }

  #refuseIfLocked(user: string, id: string | undefined): void {
    const { lockoutThreshold, lockoutDuration } = this.policy
    const failed = id === undefined ? this.#inventedFailures.get(user) : this.#failures.get(id)
    const counted = failed !== undefined && lockoutThreshold > 0 && failed.count >= lockoutThreshold
    const until = Math.max(
      id === undefined ? never : this.#lockedUntil(id),
      counted ? failed.at + lockoutDuration * 1000 : never
    )
    const seconds = Math.ceil((until - this.#clock.elapsed()) / 1000)
    if (seconds <= 0) return
    const delayed = message('Mgmt.LoginAttemptDelayedSeconds', String(seconds))
    throw new MessageError(401, [delayed], { 'Retry-After': String(seconds) })
  }

  /** Takes note of the lockout of an account, while the clock is that by which it was stored. */
  #see(id: string): void {
    if (this.#lockedUntil(id) === never) this.#locks.delete(id)
  }

  /** A lockout that was stored before the clock was set back does not last longer than one that begins now. */
  #lockedUntil(id: string): number {
    const stored = this.#store.get('account', id)?.lockedUntil ?? 0
    if (stored === 0) return never
    const known = this.#locks.get(id)
    if (known?.stored === stored) return known.until
    const until = measured(this.#clock, stored, this.policy.lockoutDuration * 1000)
    this.#locks.set(id, { stored, until })
    return until
  }

  /** @param id absent if no account has the name */
  async #failed(name: string, id: string | undefined, address: string): Promise<never> {
    // A name that is no account's may be a password typed in the wrong place.
    const user = id === undefined ? undefined : name
    this.#store.log.warning('a login failed', { user, address })
    const { lockoutThreshold, lockoutDuration, lockoutCounterResetAfter } = this.policy
    const now = this.#clock.elapsed()
    const [failures, key] = id === undefined ? [this.#inventedFailures, name] : [this.#failures, id]
    const before = failures.get(key)
    const recent = before !== undefined && now - before.at < lockoutCounterResetAfter * 1000 ? before.count : 0
    const count = recent + 1
    failures.delete(key)
    failures.set(key, { count, at: now })
    this.#forgetFailures()
    this.#announceFailure(id, name, address, now)
    if (id !== undefined && lockoutThreshold > 0 && count >= lockoutThreshold) {
      await this.#storeLock(id, this.#clock.now() + lockoutDuration * 1000)
      void this.#events.emit(event('MgmtEvents.AccountLocked', accountUri(id), name))
    }
    throw new MessageError(401, [message('Mgmt.UnauthorizedLoginAttempt')])
  }

  /** The count of failures remembers a lockout that the disk refuses to store. */
  async #storeLock(
    id: string,
    lockedUntil: number,
    isCurrent = () => this.#store.get('account', id) !== undefined
  ): Promise<void> {
    try {
      await this.#store.commit({ account: { [id]: { lockedUntil } } }, isCurrent)
      if (lockedUntil > 0) this.#failures.delete(id)
    } catch (error) {
      this.#store.log.error('a lockout was not stored', { cause: (error as Error).message })
    }
  }

  #forgetFailures(): void {
    const [oldest = ''] = this.#inventedFailures.keys()
    if (this.#inventedFailures.size > rememberedNames) this.#inventedFailures.delete(oldest)
    for (const id of this.#failures.keys()) {
      if (this.#store.get('account', id) === undefined) this.#failures.delete(id)
    }
  }

  /**
   * In the time after which failures are forgotten, no more events are sent than failures lock an account, for each
   * account and for all other names together.
   *
   * @param id absent if no account has the name
   */
  #announceFailure(id: string | undefined, name: string, address: string, now: number): void {
    const { lockoutThreshold, lockoutCounterResetAfter } = this.policy
    const most = lockoutThreshold || this.#configuration.lockout.threshold || 1
    const before = this.#announced.get(id ?? '')
    const recent = before !== undefined && now - before.at < lockoutCounterResetAfter * 1000
    const { count, at } = recent ? before : { count: 0, at: now }
    if (count >= most) return
    this.#announced.set(id ?? '', { count: count + 1, at })
    const [origin, user] = id === undefined ? [accountServiceUri, 'an unknown user'] : [accountUri(id), name]
    void this.#events.emit(event('MgmtEvents.LoginFailed', origin, user, address))
  }

  #remember(id: string, fingerprint: string): void {
    if (this.#verified.size >= this.#configuration.limits.accounts * 2) this.#verified.clear()
    const until = this.#users === undefined ? Number.POSITIVE_INFINITY : this.#clock.elapsed() + verifiedFor
    this.#verified.set(fingerprint, { id, revision: this.#store.revisions.of(`account/${id}`), until })
  }

  /**
   * A hash with a secret prefix costs a third of an HMAC; it stays in the process, so its length cannot be extended.
   */
  #fingerprint(credentials: string): string {
    return createHash('sha256')
      .update(this.#key + credentials)
      .digest('hex')
  }
}

/** Privileges of accounts, by the record, which does not change: all services may share them. */
const privilegeSets = new WeakMap<Account, ReadonlySet<Privilege>>()

function privileges(account: Account): ReadonlySet<Privilege> {
  const known = privilegeSets.get(account)
  if (known !== undefined) return known
  const made = privilegesOf(account)
  privilegeSets.set(account, made)
  return made
}

/** PBKDF2-HMAC-SHA-256 (RFC 8018) as `scheme$rounds$salt$hash`, hex. */
async function slowHash(password: string, iterations: number): Promise<string> {
  const salt = randomBytes(16)
  const derived = await derive(password, salt, iterations)
  return `${scheme}$${iterations}$${hex(salt)}$${hex(derived)}`
}

async function matchesHash(password: string, stored: string): Promise<boolean> {
  const [, rounds = '', salt = '', wanted = ''] = stored.split('$')
  const derived = await derive(password, bytes(salt), Number(rounds))
  return timingSafeEqual(derived, bytes(wanted))
}

function derive(password: string, salt: Uint8Array, iterations: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    pbkdf2(password, salt, iterations, keyLength, 'sha256', (error, key) => (error ? reject(error) : resolve(key)))
  })
}
