import type { OwnCertificate } from '#data/certificates'
import type { Configuration } from '#data/configuration'
import type { MetricReport } from '#data/telemetry'
import type { CertName } from '#hal/certs.ts'
import { bytes, type Caller, type Context, type Machine, type State, type Tables } from '#runtime/contract'
import type { Accounts } from '#runtime/service/accounts/credentials.ts'
import type { Identity } from '#runtime/service/certificates/identity.ts'
import type { EventStreams } from '#runtime/service/events/stream.ts'
import type { Subscriptions } from '#runtime/service/events/subscriptions.ts'
import { readLicenseKey } from '#runtime/service/license/key.ts'
import type { Documents } from '#runtime/store/documents.ts'
import type { Secrets } from '#runtime/store/secrets.ts'
import type { Store } from '#runtime/store/store.ts'

/** The parts of the service that every request shares. */
export interface Surroundings {
  readonly store: Store
  readonly machine: Machine
  readonly configuration: Configuration
  readonly accounts: Accounts
  readonly documents: Documents
  readonly now: () => Date
  readonly random: (bytes: number) => string
  readonly secrets: Secrets
  readonly identity: Identity
  readonly accessed: (session: string) => number
  readonly subscriptions: Subscriptions
  readonly streams: EventStreams
  readonly report: (definition: string) => MetricReport
}

/** A read that keeps an answer out of the cache: its value changes without a revision, or differs from caller to caller. */
export type Volatile = 'caller' | 'clock' | 'delivery' | 'sensor' | 'session'

/**
 * The state that one request sees, and the revisions of everything that it read. They make the entity tag, and say
 * whether a cached answer, or a change that is about to be stored, is still valid.
 */
export class View implements State, Machine {
  readonly #around: Surroundings
  readonly #caller: Caller
  readonly read = new Map<string, number>()
  /** The first of such reads, because of which the answer is not cached. */
  volatile: Volatile | undefined

  constructor(around: Surroundings, caller: Caller) {
    this.#around = around
    this.#caller = caller
  }

  get board() {
    return this.#around.machine.board
  }

  get<T extends keyof Tables>(table: T, key: string): Tables[T] | undefined {
    this.#look(`${table}/${key}`)
    const record = this.#around.store.get(table, key)
    // An absent record has the revision of its table: a cached answer must be dropped when that moves.
    if (record === undefined) this.#look(`${table}/`)
    return record
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

  port(manager: string, ethernetInterface: string) {
    this.#look(`port/${manager}/${ethernetInterface}`)
    return this.#around.machine.port(manager, ethernetInterface)
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

  reading(chassis: string, sensor: number) {
    this.volatile ??= 'sensor'
    return this.#around.machine.reading(chassis, sensor)
  }

  attributeRegistry(system: string) {
    return this.#around.machine.attributeRegistry(system)
  }

  /** The service's own certificate, as handlers may read and use it. */
  #ownCertificate(): OwnCertificate {
    const { identity } = this.#around
    const look = (name: CertName) => this.#look(`certs/${name}`)
    return {
      get chain() {
        look('server')
        return identity.chain
      },
      get request() {
        look('request')
        return identity.request
      },
      fits(certificate) {
        look('server')
        look('request')
        return identity.fits(certificate)
      },
      makeRequest: (wish) => identity.makeRequest(wish)
    }
  }

  #look(path: string): void {
    if (!this.read.has(path)) this.read.set(path, this.#around.store.revisions.of(path))
  }

  /** True when nothing that was read has changed since. */
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

  /** The context of a handler. */
  context<B>(params: Readonly<Record<string, string>>, uri: string, body: B): Context<string, B> {
    const around = this.#around
    const depends = (on: Volatile) => {
      this.volatile ??= on
    }
    const caller = this.#caller
    const ownCertificate = () => this.#ownCertificate()
    return {
      params,
      uri,
      body,
      get caller() {
        depends('caller')
        return caller
      },
      machine: this,
      state: this,
      configuration: around.configuration,
      credentials: around.accounts.from(caller),
      get ownCertificate() {
        return ownCertificate()
      },
      readLicense: (key) => readLicenseKey(key, around.machine.board.licenseKey),
      document: (name) => around.documents.get(name),
      documents: around.documents.names,
      now() {
        depends('clock')
        return around.now()
      },
      accessed(session) {
        depends('session')
        return around.accessed(session)
      },
      report: (definition) => {
        this.#look(`metricReport/${definition}`)
        return around.report(definition)
      },
      delivery(subscription) {
        depends('delivery')
        return around.subscriptions.status(subscription)
      },
      seal: (text) => around.secrets.seal(text),
      random: around.random
    }
  }
}
