import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import type { Board } from '#data/board'
import type { CertificateCommand } from '#data/certificates'
import type { Configuration } from '#data/configuration'
import { type Certs, certNames } from '#hal/certs.ts'
import type { HalError } from '#hal/errors.ts'
import { type Command, event, hex } from '#runtime/contract'
import { Authentication } from '#runtime/request/authenticate.ts'
import { Handling } from '#runtime/request/handle.ts'
import { type HandlerEntry, Routes } from '#runtime/request/routes.ts'
import type { Surroundings } from '#runtime/request/view.ts'
import { makeFirstAdministrator } from '#runtime/service/accounts/administrator.ts'
import { Accounts } from '#runtime/service/accounts/credentials.ts'
import { importKeytab } from '#runtime/service/accounts/keytab-import.ts'
import { Sessions } from '#runtime/service/accounts/sessions.ts'
import { ClientCertificates } from '#runtime/service/certificates/client.ts'
import { Identity } from '#runtime/service/certificates/identity.ts'
import { EventBodies } from '#runtime/service/events/body.ts'
import { Events } from '#runtime/service/events/events.ts'
import { EventStreams } from '#runtime/service/events/stream.ts'
import { Subscriptions } from '#runtime/service/events/subscriptions.ts'
import { Firmware } from '#runtime/service/firmware/firmware.ts'
import { Licenses } from '#runtime/service/license/expiry.ts'
import { type Backends, openDevices } from '#runtime/service/machine/devices.ts'
import { explain, Hardware } from '#runtime/service/machine/machine.ts'
import { resetController } from '#runtime/service/manager/controller-reset.ts'
import { identified } from '#runtime/service/manager/identity.ts'
import { tellLosses } from '#runtime/service/manager/recovery.ts'
import { watchStorage } from '#runtime/service/manager/storage.ts'
import { Drives } from '#runtime/service/media/drives.ts'
import { Tasks } from '#runtime/service/tasks/tasks.ts'
import { Polling } from '#runtime/service/telemetry/polling.ts'
import { Telemetry } from '#runtime/service/telemetry/telemetry.ts'
import { effectiveThresholds, Thresholds } from '#runtime/service/telemetry/thresholds.ts'
import type { Documents } from '#runtime/store/documents.ts'
import { log } from '#runtime/store/log.ts'
import { Secrets } from '#runtime/store/secrets.ts'
import { Store } from '#runtime/store/store.ts'

/** How often sessions whose time is over are looked for, in milliseconds. */
const reapEvery = 30_000

export interface ServiceParts {
  readonly configuration: Configuration
  readonly board: Board
  readonly backends: Backends
  /** Opens the place of the service's keys and certificates. */
  readonly openCerts: (directory: string) => Certs
  readonly documents: Documents
  readonly handlers: readonly HandlerEntry[]
  /** Of the build. */
  readonly version: string
  readonly adminPassword?: string | undefined
  /** The clock; the system's where none is given. */
  readonly now?: () => number
}

/** The service without its listener: what the two hosts and the tests of the protocol open alike. */
export interface Service {
  readonly handling: Handling
  readonly hardware: Hardware
  readonly store: Store
  readonly identity: Identity
  readonly clientCertificates: ClientCertificates
  /** The first administrator's password, when it was generated at this start. */
  readonly generatedPassword: string | undefined
  /** Calls back when the service is told to restart itself. */
  onRestart(listener: () => void): void
  close(): Promise<void>
}

/** @throws StoreError, SettingsError; nothing stays open then */
export async function openService(parts: ServiceParts): Promise<Service> {
  const { configuration, documents, handlers, now = Date.now } = parts
  const store = await Store.open(`${configuration.data}/store`, configuration.store)
  try {
    const board = await identified(parts.board, store)
    const events = new Events(store, board, configuration, now)
    await resetController(store, events, board, configuration.data)
    const directory = `${configuration.data}/machine`
    mkdirSync(directory, { recursive: true })
    const devices = openDevices(board, parts.backends, directory)
    const hardware = new Hardware(board, devices, store.revisions, documents)
    events.watch(devices)
    const tasks = new Tasks(store, hardware, events, configuration.eraseTime * 1000, now)
    const firmware = new Firmware(store, hardware, devices, events, now)
    firmware.ready = (system) => tasks.finished(system)
    const drives = new Drives(store, devices.media, configuration.media, `${configuration.data}/media`)
    await drives.open()
    tasks.open()
    await firmware.open()
    const accounts = new Accounts(store, configuration, now)
    const accountOf = (user: string) => `/redfish/v1/AccountService/Accounts/${encodeURIComponent(user)}`
    accounts.onFailed = (user, address) => {
      const origin = user === '' ? '/redfish/v1/AccountService' : accountOf(user)
      void events.emit(event('MgmtEvents.LoginFailed', origin, user === '' ? 'an unknown user' : user, address))
    }
    accounts.onLocked = (user) => void events.emit(event('MgmtEvents.AccountLocked', accountOf(user), user))
    const sessions = new Sessions(store, accounts, configuration, now)
    const generatedPassword = await makeFirstAdministrator(store, accounts, parts.adminPassword, new Date(now()))
    await store.commit(() => effectiveThresholds(store))
    new Thresholds(store, board, events).watch(devices)
    const { interval, samples } = configuration.sensors
    const push = (report: object, definition: string) => events.report(report, definition)
    const telemetry = new Telemetry(store, board, hardware, samples, now, push)
    const secrets = Secrets.open(`${configuration.data}/keys`)
    const identity = await Identity.open(parts.openCerts(`${configuration.data}/tls`), secrets, new Date(now()))
    for (const name of certNames) store.revisions.device(`certs/${name}`)
    identity.on((name) => store.revisions.moved(`certs/${name}`))
    const clientCertificates = new ClientCertificates(store, now)
    const licenses = new Licenses(store, events, now)
    const bodies = new EventBodies((key) => store.get('event', key))
    const authorities = () =>
      store.keys('trustedCertificate').map((id) => store.get('trustedCertificate', id)?.pem ?? '')
    const subscriptions = new Subscriptions({
      store,
      backlog: events.backlog,
      bodies,
      secrets,
      trust: { identity: () => identity.pair, authorities },
      settings: configuration.events,
      now
    })
    const around: Surroundings = {
      store,
      machine: hardware,
      configuration,
      accounts,
      documents,
      now: () => new Date(now()),
      random: (bytes) => hex(randomBytes(bytes)),
      secrets,
      identity,
      accessed: (session) => sessions.accessed(session),
      report: (definition) => telemetry.report(definition),
      subscriptions,
      streams: new EventStreams(store, events.backlog, bodies, configuration)
    }
    const restart: (() => void)[] = []
    const restarts = () => {
      // The answer to the request that asks for it is on its way first.
      setTimeout(() => {
        for (const listener of restart) listener()
      }, 0)
    }
    const perform = async (command: Command) => {
      if ('restart' in command) restarts()
      else if ('media' in command) await drives.perform(command)
      else if ('certificate' in command) await install(identity, command)
      else if ('importKeytab' in command) await importKeytab(command.importKeytab, around)
      else await hardware.perform(command)
    }
    hardware.onAuxCycle(restarts)
    restoreIndicators(store, hardware)
    await events.emit(
      ...Object.keys(board.managers).map((id) => event('MgmtEvents.ControllerStarted', `/redfish/v1/Managers/${id}`))
    )
    watchStorage(store, events, board)
    const losses = { Store: store.loss, SecretsKey: secrets.loss, ServerKey: identity.loss }
    await tellLosses(losses, { store, events, board, data: configuration.data, now: new Date(now()) })
    const polling = new Polling(devices.sensors, interval, () => telemetry.sample())
    await polling.poll()
    const routes = new Routes(handlers, configuration.limits.parameter)
    const build = fingerprint(parts)
    const handling = new Handling(
      around,
      routes,
      new Authentication(accounts, sessions, clientCertificates),
      perform,
      events,
      build
    )
    const reaper = setInterval(() => {
      sessions.reap()
      licenses.check()
      void store.tend()
    }, reapEvery)
    reaper.unref()
    return {
      handling,
      hardware,
      store,
      identity,
      clientCertificates,
      generatedPassword,
      onRestart: (listener) => restart.push(listener),
      async close() {
        clearInterval(reaper)
        telemetry.close()
        await polling.close()
        await drives.close()
        await firmware.close()
        await tasks.close()
        await hardware.close()
        await identity.close()
        await subscriptions.close()
        await store.close()
      }
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Keeps or puts in place a certificate; a log line of a failure names neither key nor certificate. */
async function install(identity: Identity, command: CertificateCommand): Promise<void> {
  try {
    await identity.perform(command)
  } catch (error) {
    throw explain(error as HalError, { certificate: command.certificate })
  }
}

/** Lamps show what clients asked for, also after a power cut that put them out. */
function restoreIndicators(store: Store, hardware: Hardware): void {
  for (const chassis of store.keys('chassis')) {
    if (!Object.hasOwn(hardware.board.chassis, chassis)) continue
    const indicator = store.get('chassis', chassis)?.locating ? 'Blinking' : 'Off'
    hardware.perform({ indicator, chassis }).catch((error: Error) => log('warning', error.message, { chassis }))
  }
}

/** What an answer depends on besides revisions: the build, the board and the configuration. Eight hex digits. */
function fingerprint({ version, board, configuration }: ServiceParts): string {
  const text = JSON.stringify([version, board, configuration])
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
