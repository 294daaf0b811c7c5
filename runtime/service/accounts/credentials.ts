import { createHash, randomBytes } from 'node:crypto'
import { type AccountPolicy, accountNamed, type Credentials, type Login } from '#data/accounts'
import type { Configuration } from '#data/configuration'
import type { Clock } from '#hal/clock.ts'
import { hex, toBase64, utf8 } from '#runtime/base/bytes.ts'
import { type Caller, type Members, MessageError, message, type Proof, type Reader } from '#runtime/contract'
import type { Secrets } from '#runtime/store/secrets.ts'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import { Expiries } from './expiries.ts'
import { type Client, LocalUsers } from './local-users.ts'
import { Lockout } from './lockout.ts'
import { LoginQueue } from './login-queue.ts'
import type { MachineUsers } from './machine-users.ts'
import { SecondFactors } from './second-factor.ts'
import { type ExternalSource, Unreachable, type UserSource } from './user-source.ts'

/** A login that was right, and what it rests on. */
interface Verified {
  readonly source: UserSource
  readonly account: string
  readonly revision: number
  readonly until: number
}

/** Checks names and passwords: the order of a login, and the cache that saves Basic requests the slow check. */
export class Accounts {
  readonly #store: Store
  readonly #configuration: Configuration
  readonly #clock: Clock
  /** A key of this process; what is kept of verified passwords is worthless without it. */
  readonly #key = hex(randomBytes(32))
  readonly #verified = new Map<string, Verified>()
  readonly #verifying = new Map<string, Promise<Caller>>()
  readonly #local: LocalUsers
  readonly #lockout: Lockout
  readonly #secondFactors: SecondFactors
  readonly #expiries: Expiries
  #external: readonly ExternalSource[] = []

  constructor(
    store: Store,
    configuration: Configuration,
    events: Events,
    clock: Clock,
    secrets: Pick<Secrets, 'open'>
  ) {
    this.#store = store
    this.#configuration = configuration
    this.#clock = clock
    const queue = new LoginQueue(configuration.limits.logins, configuration.limits.loginQueue)
    this.#local = new LocalUsers(store, configuration, clock, queue)
    this.#expiries = new Expiries(store, clock)
    this.#lockout = new Lockout(store, configuration, events, clock)
    this.#secondFactors = new SecondFactors(store, secrets, configuration, clock)
  }

  /** Has the machine check and set passwords from now on. */
  delegate(users: MachineUsers): void {
    this.#local.delegate(users)
  }

  /** Has directories say whose passwords are, in this order, while they are enabled. */
  consult(sources: readonly ExternalSource[]): void {
    this.#external = sources
  }

  /** Whether it is known which accounts there are. */
  get areKnown(): boolean {
    return this.#local.machine?.areKnown ?? true
  }

  /** Whether requests may log in with HTTP Basic. */
  get basicAuth(): Configuration['basicAuth'] {
    return this.#store.get('accountService', 'settings')?.basicAuth ?? this.#configuration.basicAuth
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
      keepsPasswords: this.#local.machine === undefined,
      asksDirectories: this.#external.length > 0,
      verify: (user, password, code) => this.verify(user, password, reader.caller.address, code),
      verifyCode: (code, of) => this.#verifyCode(reader.caller, code, of),
      hash: (password) => this.hash(reader.caller, password),
      matches: (password, hash) => this.#local.matches(reader.caller, password, hash),
      hashOther: (password) => this.#local.hashOther(reader.caller, password),
      matchesOther: (password, hash) => this.#local.matchesOther(reader.caller, password, hash),
      digest: (token) => this.digest(token)
    }
  }

  /** As `Credentials` has it. */
  hash(client: Client, password: string): Promise<string> {
    return this.#local.hash(client, password)
  }

  /**
   * The caller that credentials make which were verified before, if what they rest on has not changed since, and they are
   * all that a login needs.
   *
   * @param credentials name, colon and password in base64, as HTTP Basic has them (RFC 7617)
   */
  recall(credentials: string, address: string): Caller | undefined {
    return this.#proven(this.#recall(credentials, address))
  }

  #recall(credentials: string, address: string): Caller | undefined {
    const known = this.#verified.get(this.#fingerprint(credentials))
    if (known === undefined || known.revision !== known.source.revision(known.account)) return undefined
    if (known.until < this.#clock.elapsed() || this.isLocked(known.account)) return undefined
    return this.named({ account: known.account }, address)
  }

  /** As `Credentials` has it. */
  async verify(user: string, password: string, address: string, code?: string): Promise<Login> {
    const caller = await this.#verifyPassword(user, password, address)
    const proven = this.#proven(caller)
    if (proven !== undefined) return proven
    this.#lockout.refuse(caller.user, caller.account)
    const used = code === undefined ? undefined : this.#secondFactors.check(caller.account, code, 'key')
    if (used === undefined) {
      const lacks = message(code === undefined ? 'Base.AuthenticationTokenRequired' : 'Mgmt.OneTimeCodeIncorrect')
      return this.#lockout.failed(caller.user, caller.account, address, new MessageError(401, [lacks]))
    }
    this.#lockout.succeeded(caller.user, caller.account)
    return { ...caller, secondFactor: used.kind, used }
  }

  async #verifyCode({ user, account, address }: Caller, code: string, of: 'key' | 'pending') {
    this.#lockout.refuse(user, account)
    const used = this.#secondFactors.check(account, code, of)
    if (used !== undefined) return used
    const action = 'ManagerAccount.VerifyTimeBasedOneTimePassword'
    const wrong = message('Base.ActionParameterValueError', 'TimeBasedOneTimePassword', action)
    return this.#lockout.failed(user, account, address, new MessageError(400, [wrong]))
  }

  /** The same name and password at the same time are checked once. */
  async #verifyPassword(user: string, password: string, address: string): Promise<Caller> {
    // No account has a colon in its name, which would read like a shorter name with a longer password.
    if (user.includes(':')) return this.#verify(user, password, address)
    const credentials = toBase64(utf8(`${user}:${password}`))
    const recalled = this.#recall(credentials, address)
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

  /** A login: who has failed too often waits, then the sources are asked, and what they say is counted. */
  async #verify(user: string, password: string, address: string, fingerprint?: string): Promise<Caller> {
    const id = accountNamed(this.#store, user)
    this.#lockout.refuse(user, id)
    const verified = await this.#ask(id !== undefined, user, password, address)
    if (verified !== undefined) {
      const { source, caller } = verified
      this.#lockout.refuse(user, id)
      if (this.#proven(caller) !== undefined) this.#lockout.succeeded(user, id)
      if (fingerprint !== undefined) this.#remember(source, caller.account, fingerprint)
      return caller
    }
    const known = id !== undefined && this.#store.get('account', id) !== undefined
    return this.#lockout.failed(user, known ? id : undefined, address)
  }

  /**
   * Asks the sources in order, until one knows the user and the password.
   *
   * @throws Unreachable if none does, and one that did not answer could have
   */
  async #ask(isLocal: boolean, user: string, password: string, address: string) {
    let missing: Unreachable | undefined
    for (const source of this.#sources(isLocal)) {
      if (source === this.#local && missing === undefined && this.#mode === 'Fallback') break
      try {
        const caller = await source.verify(user, password, address)
        if (caller !== undefined) return { source, caller }
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error
        missing = error
      }
    }
    // A wrong password for a local account counts, even if a directory that did not answer could have accepted it.
    if (missing !== undefined && !(isLocal && this.#localCounts)) throw missing
    return undefined
  }

  /** The sources that check a login, in order. A user with a local account does not wait for a directory. */
  #sources(isLocal: boolean): readonly UserSource[] {
    const external = this.#external.filter((source) => source.isEnabled)
    switch (this.#mode) {
      case 'Enabled':
        return isLocal || external.length === 0 ? [this.#local] : external
      case 'LocalFirst':
        return [this.#local, ...external]
      case 'Fallback':
        return [...external, this.#local]
      case 'Disabled':
        return external
    }
  }

  /** Local accounts log in as ever where no directory is asked. */
  get #mode(): AccountPolicy['localAccounts'] {
    const mode = this.#store.get('accountService', 'settings')?.localAccounts ?? 'Enabled'
    return mode === 'Enabled' || this.#external.some((source) => source.isEnabled) ? mode : 'Enabled'
  }

  /** Whether local accounts log in now. */
  get #localCounts(): boolean {
    const mode = this.#mode
    if (mode === 'Fallback') return this.#external.some((source) => source.isEnabled && source.isDown)
    return mode !== 'Disabled'
  }

  /**
   * The caller for a user authenticated without a password in the request, e.g. by a session or a certificate. While
   * local accounts cannot log in, their sessions remain valid.
   */
  named(proof: Omit<Proof, 'user'>, address: string): Caller | undefined {
    const external = this.#external.find((source) => source.has(proof.account))
    if (external !== undefined) return this.#proven(external.named(proof, address))
    if (proof.session === undefined && !this.#localCounts) return undefined
    return this.#proven(this.#local.named(proof, address), proof.secondFactor)
  }

  /** A caller by a password, unless that needs a second factor beside it; a certificate needs none. */
  #proven(caller: Caller | undefined, secondFactor?: string): Caller | undefined {
    if (caller === undefined || caller.certificate !== undefined) return caller
    const { codeNeeded, keyNeeded } = this.#secondFactors.of(caller.account, caller.role)
    if (codeNeeded && secondFactor === undefined) return undefined
    return keyNeeded ? { ...caller, secretKeyRequired: true } : caller
  }

  /** Whether an account is locked after failed logins. */
  isLocked(id: string): boolean {
    return this.#lockout.isLocked(id)
  }

  /**
   * Has the store say when lockouts end, and passwords that have expired be noticed. Those of its users are the machine's
   * affair.
   */
  tend(): void {
    if (this.#local.machine !== undefined) return
    this.#lockout.tend()
    this.#expiries.tend()
  }

  digest(token: string): string {
    return createHash('sha256').update(token).digest('hex')
  }

  #remember(source: UserSource, account: string, fingerprint: string): void {
    if (this.#verified.size >= this.#configuration.limits.accounts * 2) this.#verified.clear()
    const until = this.#clock.elapsed() + source.verifiedFor
    this.#verified.set(fingerprint, { source, account, revision: source.revision(account), until })
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
