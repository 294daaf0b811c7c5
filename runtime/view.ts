import type { Configuration, Tables } from '#data'
import type { Accounts } from './credentials.ts'
import type { Documents } from './documents.ts'
import type { Caller, Context, Machine, State } from './handler.ts'
import { bytes } from './hex.ts'
import type { Store } from './store.ts'

/** What every request shares. */
export interface Surroundings {
  readonly store: Store
  readonly machine: Machine
  readonly configuration: Configuration
  readonly accounts: Accounts
  readonly documents: Documents
  readonly now: () => Date
  readonly random: (bytes: number) => string
  readonly accessed: (session: string) => number
}

/**
 * What one request sees, and the record of what it looked at: the revisions of that make the entity tag, and say
 * whether an answer that is kept, or a change that is about to be stored, still rests on what is true.
 */
export class View implements State, Machine {
  readonly #around: Surroundings
  readonly #caller: Caller
  readonly read = new Map<string, number>()
  /** The answer depends on the clock, a sensor or who asks: it is not kept. */
  fleeting = false

  constructor(around: Surroundings, caller: Caller) {
    this.#around = around
    this.#caller = caller
  }

  get board() {
    return this.#around.machine.board
  }

  get<T extends keyof Tables>(table: T, key: string): Tables[T] | undefined {
    this.#look(`${table}/${key}`)
    return this.#around.store.get(table, key)
  }

  keys<T extends keyof Tables>(table: T): readonly string[] {
    this.#look(`${table}/`)
    return this.#around.store.keys(table)
  }

  power(system: string) {
    this.#look(`power/${system}`)
    return this.#around.machine.power(system)
  }

  indicator(chassis: string) {
    this.#look(`indicator/${chassis}`)
    return this.#around.machine.indicator(chassis)
  }

  nvram(system: string) {
    this.#look(`nvram/${system}`)
    return this.#around.machine.nvram(system)
  }

  variable(system: string, name: string, guid: string) {
    const wanted = this.get('variable', `${system}/${guid}/${name}`)
    if (wanted !== undefined)
      return wanted.data === null ? undefined : { attributes: wanted.attributes, data: bytes(wanted.data) }
    this.#look(`nvram/${system}`)
    return this.#around.machine.variable(system, name, guid)
  }

  attributeRegistry(system: string) {
    return this.#around.machine.attributeRegistry(system)
  }

  #look(path: string): void {
    if (!this.read.has(path)) this.read.set(path, this.#around.store.revisions.of(path))
  }

  /** Whether nothing that was looked at has changed since. */
  stands(): boolean {
    for (const [path, revision] of this.read) {
      if (this.#around.store.revisions.of(path) !== revision) return false
    }
    return true
  }

  /** The newest revision of what was looked at. */
  revision(): number {
    let newest = 0
    for (const revision of this.read.values()) if (revision > newest) newest = revision
    return newest
  }

  /** What a handler is given. */
  context<B>(params: Readonly<Record<string, string>>, uri: string, body: B): Context<string, B> {
    const around = this.#around
    const fleet = () => {
      this.fleeting = true
    }
    const caller = this.#caller
    return {
      params,
      uri,
      body,
      get caller() {
        fleet()
        return caller
      },
      machine: this,
      state: this,
      configuration: around.configuration,
      credentials: around.accounts.from(caller.address),
      document: (name) => around.documents.get(name),
      documents: around.documents.names,
      now() {
        fleet()
        return around.now()
      },
      accessed(session) {
        fleet()
        return around.accessed(session)
      },
      random: around.random
    }
  }
}
