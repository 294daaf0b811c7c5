import { type Account, accountNamed, canLogIn, isExpired, privilegesOf } from '#data/accounts'
import type { Configuration } from '#data/configuration'
import type { Clock } from '#hal/clock.ts'
import type { Caller, Proof } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { LoginQueue } from './login-queue.ts'
import type { MachineUsers } from './machine-users.ts'
import { decoyHash, matchesHash, slowHash } from './passwords.ts'
import type { UserSource } from './user-source.ts'

/** Milliseconds for which a password that the machine has verified is right: it does not tell when another one is set. */
const machineVerifiedFor = 10_000

/** A client that waits in line with others for slow work. */
export type Client = Pick<Caller, 'account' | 'address'>

/** The users with an account here. Their passwords are slow hashes of the store, unless the machine checks and sets them. */
export class LocalUsers implements UserSource {
  readonly #store: Store
  readonly #configuration: Configuration
  readonly #clock: Clock
  readonly #queue: LoginQueue
  #machine: MachineUsers | undefined

  constructor(store: Store, configuration: Configuration, clock: Clock, queue: LoginQueue) {
    this.#store = store
    this.#configuration = configuration
    this.#clock = clock
    this.#queue = queue
  }

  /** Has the machine check and set passwords from now on. */
  delegate(users: MachineUsers): void {
    this.#machine = users
  }

  /** The users of the machine, if it checks passwords. */
  get machine(): MachineUsers | undefined {
    return this.#machine
  }

  get verifiedFor(): number {
    return this.#machine === undefined ? Number.POSITIVE_INFINITY : machineVerifiedFor
  }

  revision(account: string): number {
    return this.#store.revisions.of(`account/${account}`)
  }

  async verify(user: string, password: string, address: string): Promise<Caller | undefined> {
    const id = accountNamed(this.#store, user)
    const before = id === undefined ? undefined : this.#store.get('account', id)
    const right = await this.#queue.run({ user: id ?? '', address }, () =>
      this.#machine === undefined
        ? matchesHash(password, before?.password ?? decoyHash(this.#configuration.password.iterations))
        : this.#machine.matches(user, password, address)
    )
    // The account may have changed meanwhile: a password that was right then is not remembered as right now.
    const account = id === undefined ? undefined : this.#store.get('account', id)
    const same = account?.password === before?.password && account?.generation === before?.generation
    return right && same && id !== undefined ? this.named({ account: id }, address) : undefined
  }

  named({ account: id, session, certificate }: Omit<Proof, 'user'>, address: string): Caller | undefined {
    const account = this.#store.get('account', id)
    return account !== undefined && canLogIn(this.#store, account)
      ? this.#caller(id, account, address, session, certificate)
      : undefined
  }

  /** The stored form of a user's password. */
  hash(client: Client, password: string): Promise<string> {
    if (this.#machine !== undefined) return Promise.resolve(this.#machine.keep(password))
    return this.hashOther(client, password)
  }

  hashOther(client: Client, password: string): Promise<string> {
    return this.#inTurn(client, () => slowHash(password, this.#configuration.password.iterations))
  }

  matches(client: Client, password: string, stored: string): Promise<boolean> {
    const machine = this.#machine
    if (machine === undefined) return this.matchesOther(client, password, stored)
    return this.#inTurn(client, () => machine.matches(machine.userOf(stored), password, ''))
  }

  matchesOther(client: Client, password: string, hash: string): Promise<boolean> {
    return this.#inTurn(client, () => matchesHash(password, hash))
  }

  #inTurn<T>({ account: user, address }: Client, work: () => Promise<T>): Promise<T> {
    return this.#queue.run({ user, address }, work)
  }

  #caller(id: string, account: Account, address: string, session?: string, certificate?: string): Caller {
    const caller: { -readonly [Member in keyof Caller]: Caller[Member] } = {
      account: id,
      user: account.name,
      role: account.role,
      privileges: privilegesOf(this.#store, account),
      address,
      passwordChangeRequired: account.passwordChangeRequired || isExpired(account, this.#clock.now())
    }
    if (account.generation !== undefined) caller.generation = account.generation
    if (session !== undefined) caller.session = session
    if (certificate !== undefined) caller.certificate = certificate
    return caller
  }
}
