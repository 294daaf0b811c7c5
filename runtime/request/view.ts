import type { Credentials } from '#data/accounts'
import { Inventory } from '#data/board'
import type { OwnCertificate } from '#data/certificates'
import type { Configuration } from '#data/configuration'
import type { DeliveryStatus, OpenStreams } from '#data/events'
import type { Instance } from '#data/service-root'
import type { MetricReport } from '#data/telemetry'
import type { UpdateUpload } from '#data/updates'
import { variablePath, waitingData } from '#data/variables'
import type { CertName } from '#hal/certs.ts'
import type { Caller, Context, Machine, Parameters, State, Tables } from '#runtime/contract'
import type { Consoles } from '#runtime/service/console/consoles.ts'
import type { EventStreams } from '#runtime/service/events/stream.ts'
import { readLicenseKey } from '#runtime/service/license/key.ts'
import type { HttpsPort } from '#runtime/service/network/https-port.ts'
import type { Network } from '#runtime/service/network/network.ts'
import type { Uploads } from '#runtime/service/updates/uploads.ts'
import type { Documents } from '#runtime/store/documents.ts'
import { isReadings, type Revisions, readingsOf } from '#runtime/store/revisions.ts'
import type { Secrets } from '#runtime/store/secrets.ts'
import type { Store } from '#runtime/store/store.ts'
import type { Local } from './head.ts'

/** Where a view takes from what it shows. */
export interface Sources {
  readonly store: State & { readonly revisions: Pick<Revisions, 'of'> }
  readonly machine: Machine
  readonly configuration: Configuration
  /** The accounts, as a client may ask about them. */
  readonly accounts: { from(caller: Caller): Credentials; isLocked(account: string): boolean }
  readonly documents: Documents
  readonly now: () => Date
  readonly random: (bytes: number) => string
  readonly secrets: Pick<Secrets, 'seal'>
  readonly identity: OwnCertificate
  readonly accessed: (session: string) => number
  readonly subscriptions: { status(subscription: string): DeliveryStatus }
  readonly report: (definition: string) => MetricReport
  readonly streams: { readonly open: OpenStreams }
  readonly instances: (caller: Caller) => readonly Instance[]
  readonly parameters: (action: string) => Parameters | undefined
  readonly serviceLog: () => readonly string[]
}

/** The parts that all requests share. */
export interface Environment extends Omit<Sources, 'instances' | 'parameters'> {
  readonly uploads: Uploads
  readonly store: Store
  readonly streams: EventStreams
  readonly consoles: Consoles
  readonly network: Pick<Network, 'reached'>
  readonly httpsPort: Pick<HttpsPort, 'reached'>
}

/** A read that keeps an answer out of the cache: its value changes without a revision, or differs from caller to caller. */
export type Volatile = 'caller' | 'clock' | 'delivery' | 'session'

/**
 * The state that one request sees, and the revisions of everything that it read. They make the entity tag, and say
 * whether a cached answer, or a change that is about to be stored, is still valid.
 */
export class View extends Inventory implements State, Machine {
  readonly #sources: Sources
  readonly #caller: Caller
  readonly revisions = new Map<string, number>()
  /** Why the answer is not cached. */
  volatile: Volatile | undefined
  #showsReadings = false

  constructor(sources: Sources, caller: Caller) {
    super(sources.machine.board)
    this.#sources = sources
    this.#caller = caller
  }

  get<T extends keyof Tables>(table: T, key: string): Tables[T] | undefined {
    this.#track(`${table}/${key}`)
    const record = this.#sources.store.get(table, key)
    // A missing record has the revision of its table, and a cached answer is stale when that moves.
    if (record === undefined) this.#track(`${table}/`)
    return record
  }

  keys<T extends keyof Tables>(table: T): readonly string[] {
    this.#track(`${table}/`)
    return this.#sources.store.keys(table)
  }

  power(system: string) {
    this.#track(`power/${system}`)
    return this.#sources.machine.power(system)
  }

  noticesPowerLoss(system: string) {
    return this.#sources.machine.noticesPowerLoss(system)
  }

  hasWatchdog(system: string) {
    return this.#sources.machine.hasWatchdog(system)
  }

  bootProgress(system: string) {
    this.#track(`bootProgress/${system}`)
    return this.#sources.machine.bootProgress(system)
  }

  indicator(chassis: string) {
    this.#track(`indicator/${chassis}`)
    return this.#sources.machine.indicator(chassis)
  }

  port(manager: string, ethernetInterface: string) {
    this.#track(`port/${manager}/${ethernetInterface}`)
    return this.#sources.machine.port(manager, ethernetInterface)
  }

  firmware(component: string) {
    this.#track(`firmware/${component}`)
    return this.#sources.machine.firmware(component)
  }

  nvram(system: string) {
    this.#track(`nvram/${system}`)
    return this.#sources.machine.nvram(system)
  }

  variable(system: string, name: string, guid: string) {
    const wanted = this.get('variable', variablePath(system, guid, name))
    this.#track(`nvram/${system}`)
    const present = this.#sources.machine.variable(system, name, guid)
    if (wanted === undefined) return present
    const data = waitingData(this, system, { name, guid }, wanted, present?.data)
    return data === null ? undefined : { attributes: wanted.attributes, data }
  }

  variables(system: string, guid: string) {
    const path = variablePath(system, guid, '')
    this.#track(`nvram/${system}`)
    const names = new Set(this.#sources.machine.variables(system, guid))
    for (const key of this.keys('variable').filter((each) => each.startsWith(path))) {
      if (this.get('variable', key)?.data === null) names.delete(key.slice(path.length))
      else names.add(key.slice(path.length))
    }
    return [...names]
  }

  reading(chassis: string, sensor: number) {
    this.#showsReadings = true
    this.#track(readingsOf(chassis))
    return this.#sources.machine.reading(chassis, sensor)
  }

  attributeRegistry(system: string) {
    return this.#sources.machine.attributeRegistry(system)
  }

  /** The service's own certificate, as handlers may read and use it. */
  #ownCertificate(): OwnCertificate {
    const { identity } = this.#sources
    const track = (name: CertName) => this.#track(`certs/${name}`)
    return {
      get chain() {
        track('server')
        return identity.chain
      },
      get request() {
        track('request')
        return identity.request
      },
      fits(certificate) {
        track('server')
        track('request')
        return identity.fits(certificate)
      },
      makeRequest: (wish) => identity.makeRequest(wish)
    }
  }

  #track(path: string): void {
    if (!this.revisions.has(path)) this.revisions.set(path, this.#sources.store.revisions.of(path))
  }

  /** A reason that moves by itself replaces `caller`, whose answers only differ from one caller to another. */
  #depends(on: Volatile): void {
    if (this.volatile === undefined || this.volatile === 'caller') this.volatile = on
  }

  /** Whether the answer shows what changes by itself. */
  get moves(): boolean {
    return this.#showsReadings || (this.volatile !== undefined && this.volatile !== 'caller')
  }

  /** Takes over what another view, of a part of the answer, rests on. */
  include(part: View): void {
    const { revisions, volatile } = part
    for (const [path, revision] of revisions) this.revisions.set(path, revision)
    this.#showsReadings ||= part.#showsReadings
    if (volatile !== undefined) this.#depends(volatile)
  }

  /** True when nothing that was read has changed since. */
  isCurrent(): boolean {
    for (const [path, revision] of this.revisions) {
      if (this.#sources.store.revisions.of(path) !== revision) return false
    }
    return true
  }

  /** The newest revision of what was read, but for readings, which change by themselves. */
  revision(): number {
    let newest = 0
    for (const [path, revision] of this.revisions) {
      if (revision > newest && !isReadings(path)) newest = revision
    }
    return newest
  }

  /** The context of a handler. */
  context<B>(
    params: Readonly<Record<string, string>>,
    uri: string,
    body: B,
    upload?: UpdateUpload,
    socket?: Local
  ): Context<string, B> {
    const sources = this.#sources
    const depends = (on: Volatile) => this.#depends(on)
    const caller = this.#caller
    const ownCertificate = () => this.#ownCertificate()
    const track = (path: string) => this.#track(path)
    return {
      params,
      uri,
      body,
      upload,
      get localAddress() {
        depends('caller')
        return socket?.localAddress
      },
      get caller() {
        depends('caller')
        return caller
      },
      machine: this,
      state: this,
      configuration: sources.configuration,
      credentials: sources.accounts.from(caller),
      get ownCertificate() {
        return ownCertificate()
      },
      readLicense: (key) => readLicenseKey(key, sources.machine.board.licenseKey),
      document: (name) => sources.documents.get(name),
      documents: sources.documents.names,
      now() {
        depends('clock')
        return sources.now()
      },
      serviceLog() {
        depends('clock')
        return sources.serviceLog()
      },
      accessed(session) {
        depends('session')
        return sources.accessed(session)
      },
      isLocked(account) {
        depends('clock')
        return sources.accounts.isLocked(account)
      },
      report: (definition) => {
        this.#track(`metricReport/${definition}`)
        return sources.report(definition)
      },
      delivery(subscription) {
        depends('delivery')
        return sources.subscriptions.status(subscription)
      },
      get streams() {
        track('streams/')
        return sources.streams.open
      },
      instances() {
        depends('caller')
        return sources.instances(caller)
      },
      parameters: sources.parameters,
      seal: (text) => sources.secrets.seal(text),
      random: sources.random
    }
  }
}
