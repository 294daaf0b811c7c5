import { Inventory } from '#data/board'
import type { Configuration } from '#data/configuration'
import { type OwnStatus, statusOf } from '#data/health'
import { localTime } from '#data/manager'
import type { Instance } from '#data/service-root'
import type { UpdateUpload } from '#data/updates'
import { variablePath, waitingData } from '#data/variables'
import type { PartCounters } from '#hal/sensors.ts'
import type { Context, Machine, Members, Reader, Services, State, Tables } from '#runtime/contract'
import type { Parameters } from '#runtime/schema'
import type { Consoles } from '#runtime/service/console/consoles.ts'
import type { DumpLogs } from '#runtime/service/dumps/dumps.ts'
import type { EventStreams } from '#runtime/service/events/stream.ts'
import type { Drives } from '#runtime/service/media/drives.ts'
import type { HttpsPort } from '#runtime/service/network/https-port.ts'
import type { Network } from '#runtime/service/network/network.ts'
import type { Uploads } from '#runtime/service/updates/uploads.ts'
import { type Documents, documentsPath } from '#runtime/store/documents.ts'
import { pollsOf, readingsOf } from '#runtime/store/revisions.ts'
import type { Secrets } from '#runtime/store/secrets.ts'
import type { Store } from '#runtime/store/store.ts'
import type { Basis } from './basis.ts'

/** The members of the context that the protocol itself provides. */
type OwnMembers = 'configuration' | 'health' | 'instances' | 'localAddress' | 'parameters' | 'upload'

/** Where a view takes from what it shows. */
export interface Sources {
  readonly store: State
  readonly machine: Machine
  readonly configuration: Configuration
  readonly documents: Documents
  readonly now: () => Date
  readonly random: (bytes: number) => string
  readonly secrets: Pick<Secrets, 'seal'>
  /** The members that services add to the context: its prototype, so that each may be made when a handler asks for it. */
  readonly members: (reader: Reader) => Members<Exclude<keyof Services, OwnMembers>>
  readonly instances: (caller: Context['caller']) => readonly Instance[]
  readonly parameters: (action: string) => Parameters | undefined
}

/** The parts that all requests share. */
export interface Environment extends Omit<Sources, 'instances' | 'parameters'> {
  readonly uploads: Uploads
  readonly store: Store
  readonly streams: EventStreams
  readonly consoles: Consoles
  /** Absent from a machine without dumps. */
  readonly dumps: Pick<DumpLogs, 'read'> | undefined
  readonly media: Pick<Drives, 'begin'>
  readonly network: Pick<Network, 'reached'>
  readonly httpsPort: Pick<HttpsPort, 'reached'>
}

/** The state that one request sees. Everything that it reads is noted in its basis. */
export class View extends Inventory implements State, Machine {
  readonly #sources: Sources
  readonly #basis: Basis

  constructor(sources: Sources, basis: Basis) {
    super(sources.machine.board)
    this.#sources = sources
    this.#basis = basis
  }

  get<T extends keyof Tables>(table: T, key: string): Tables[T] | undefined {
    const record = this.#sources.store.get(table, key)
    // A missing record has the revision of its table, and a cached answer is stale when that moves.
    this.#basis.track(record === undefined ? `${table}/` : `${table}/${key}`)
    return record
  }

  keys<T extends keyof Tables>(table: T): readonly string[] {
    this.#basis.track(`${table}/`)
    return this.#sources.store.keys(table)
  }

  power(system: string) {
    this.#basis.track(`power/${system}`)
    return this.#sources.machine.power(system)
  }

  hasBreak(system: string) {
    return this.#sources.machine.hasBreak(system)
  }

  noticesPowerLoss(system: string) {
    return this.#sources.machine.noticesPowerLoss(system)
  }

  bootOverrides(system: string) {
    return this.#sources.machine.bootOverrides(system)
  }

  setsClock(manager: string) {
    return this.#sources.machine.setsClock(manager)
  }

  watchdog(system: string) {
    return this.#sources.machine.watchdog(system)
  }

  bootProgress(system: string) {
    this.#basis.track(`bootProgress/${system}`)
    return this.#sources.machine.bootProgress(system)
  }

  indicator(chassis: string) {
    this.#basis.track(`indicator/${chassis}`)
    return this.#sources.machine.indicator(chassis)
  }

  port(manager: string, ethernetInterface: string) {
    this.#basis.track(`port/${manager}/${ethernetInterface}`)
    return this.#sources.machine.port(manager, ethernetInterface)
  }

  portCounters(manager: string, ethernetInterface: string) {
    this.#basis.depends('clock')
    return this.#sources.machine.portCounters(manager, ethernetInterface)
  }

  firmware(component: string) {
    this.#basis.track(`firmware/${component}`)
    return this.#sources.machine.firmware(component)
  }

  nvram(system: string) {
    this.#basis.track(`nvram/${system}`)
    return this.#sources.machine.nvram(system)
  }

  variable(system: string, name: string, guid: string) {
    const wanted = this.get('variable', variablePath(system, guid, name))
    this.#basis.track(`nvram/${system}`)
    const present = this.#sources.machine.variable(system, name, guid)
    if (wanted === undefined) return present
    const data = waitingData(this, system, { name, guid }, wanted, present?.data)
    return data === null ? undefined : { attributes: wanted.attributes, data }
  }

  variables(system: string, guid: string) {
    const path = variablePath(system, guid, '')
    this.#basis.track(`nvram/${system}`)
    const names = new Set(this.#sources.machine.variables(system, guid))
    for (const key of this.keys('variable').filter((each) => each.startsWith(path))) {
      if (this.get('variable', key)?.data === null) names.delete(key.slice(path.length))
      else names.add(key.slice(path.length))
    }
    return [...names]
  }

  reading(chassis: string, sensor: number) {
    this.#basis.track(readingsOf(chassis))
    return this.#sources.machine.reading(chassis, sensor)
  }

  counts(chassis: string, kind: keyof PartCounters, part: string) {
    return this.#sources.machine.counts(chassis, kind, part)
  }

  counters<K extends keyof PartCounters>(chassis: string, kind: K, part: string) {
    this.#basis.track(pollsOf(chassis))
    return this.#sources.machine.counters(chassis, kind, part)
  }

  eventLog(system: string) {
    this.#basis.track(`eventLog/${system}`)
    return this.#sources.machine.eventLog(system)
  }

  dumps(owner: string) {
    this.#basis.track(`dumps/${owner}`)
    return this.#sources.machine.dumps(owner)
  }

  powerRange(chassis: string) {
    this.#basis.track(`powerRange/${chassis}`)
    return this.#sources.machine.powerRange(chassis)
  }

  ownsBios(system: string) {
    return this.#sources.machine.ownsBios(system)
  }

  attributeRegistry(system: string) {
    this.#basis.track(documentsPath)
    return this.#sources.machine.attributeRegistry(system)
  }

  /** The status of a part. */
  health = (part: string, own?: OwnStatus) => statusOf(this, this, part, own)

  /** The context of a handler. */
  context<B>(
    params: Readonly<Record<string, string>>,
    uri: string,
    body: B,
    upload?: UpdateUpload
  ): Context<string, B> {
    const sources = this.#sources
    const basis = this.#basis
    const own: Omit<Context<string, B>, keyof ReturnType<Sources['members']>> = {
      params,
      uri,
      body,
      upload,
      get localAddress() {
        return basis.localAddress
      },
      get caller() {
        return basis.caller
      },
      machine: this,
      state: this,
      health: this.health,
      configuration: sources.configuration,
      document(name: string) {
        basis.track(documentsPath)
        return sources.documents.get(name)
      },
      get documents() {
        basis.track(documentsPath)
        return sources.documents.names
      },
      now() {
        basis.depends('clock')
        return sources.now()
      },
      instances() {
        basis.depends('resources')
        return sources.instances(basis.caller)
      },
      time: (offset = '+00:00') => basis.shows(localTime(basis.moment(sources.now), offset), offset),
      parameters: sources.parameters,
      seal: (text: string) => sources.secrets.seal(text),
      random: sources.random
    }
    return Object.setPrototypeOf(own, sources.members(basis))
  }
}
