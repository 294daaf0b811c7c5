/*
 * A new worker: create it here with `keep`, which closes it when the service closes.
 * If it subscribes to records or devices, add a row to `docs/changes.md`.
 * Members that it adds to the context of handlers come from its method `members`; `protocol.ts` lists the services.
 */

import type { Board } from '#data/board'
import { ownCertificateUri } from '#data/certificates'
import { fqdnOf, hostNamesOf } from '#data/ethernet'
import { boardSensors, powerSensors } from '#data/sensors'
import { certNames } from '#hal/certs.ts'
import { log } from '#runtime/base/log.ts'
import { opening } from '#runtime/base/opening.ts'
import { event } from '#runtime/contract'
import { Enrollments } from '#runtime/service/acme/enrollments.ts'
import { Consoles } from '#runtime/service/console/consoles.ts'
import { EventBodies } from '#runtime/service/events/body.ts'
import type { Events } from '#runtime/service/events/events.ts'
import { Semaphore } from '#runtime/service/events/semaphore.ts'
import { EventStreams } from '#runtime/service/events/stream.ts'
import { Subscriptions } from '#runtime/service/events/subscriptions.ts'
import { PartFaults } from '#runtime/service/health/part-faults.ts'
import { effectiveThresholds, Thresholds } from '#runtime/service/health/thresholds.ts'
import { Licenses } from '#runtime/service/license/expiry.ts'
import type { Hardware } from '#runtime/service/machine/machine.ts'
import { reportLosses } from '#runtime/service/manager/recovery.ts'
import { keepStartTime } from '#runtime/service/manager/start-time.ts'
import { watchStorage } from '#runtime/service/manager/storage.ts'
import { PowerLimits } from '#runtime/service/power/power-limits.ts'
import { EnergyMeters } from '#runtime/service/telemetry/energy.ts'
import { Polling } from '#runtime/service/telemetry/polling.ts'
import { Statistics } from '#runtime/service/telemetry/statistics.ts'
import { type ReportAudience, Telemetry } from '#runtime/service/telemetry/telemetry.ts'
import { Triggers } from '#runtime/service/telemetry/triggers.ts'
import type { Store } from '#runtime/store/store.ts'
import type { OpenAccess } from './access.ts'
import type { OpenHardware } from './hardware.ts'
import type { PlacedOptions } from './options.ts'
import type { OpenState } from './state.ts'

export type OpenWorkers = Awaited<ReturnType<typeof openWorkers>>

/** How often accounts, sessions and the store are tended, and licenses that are over are looked for, in milliseconds. */
const tendEvery = 30_000

/** Opens the background work, except for the machine's: sensors, reports, deliveries, sessions, certificates. */
export function openWorkers(
  { configuration, clock, place, ...parts }: PlacedOptions,
  state: OpenState,
  { accounts, sessions }: OpenAccess,
  machine: OpenHardware
) {
  const { store, board, events, secrets, hasKeys } = state
  const { devices, hardware, tasks } = machine
  const { now } = clock
  return opening(async (keep) => {
    const licenses = new Licenses(store, events, now, board.licenseKey)

    const { certs, identity } = await place.openIdentity(secrets, hasKeys, keep, devices.certificates)
    const renew = () => tellReplaced(identity.renew(new Date(now())), board, events)
    await renew()
    for (const name of certNames) store.revisions.device(`certs/${name}`)
    certs.on((name) => {
      if (name === 'server') void tellReplaced(identity.take(new Date(now())), board, events)
      store.revisions.moved(`certs/${name}`)
    })
    const enrollments = keep(new Enrollments({ store, board, events, tasks, identity, secrets, clock, configuration }))
    const bodies = new EventBodies((key) => store.get('event', key))
    const authorities = () =>
      store.keys('trustedCertificate').map((id) => store.get('trustedCertificate', id)?.pem ?? '')
    const trust = { identity: () => identity.pair, authorities }
    const settings = configuration.events
    const hostName = () => {
      const [id = '', manager] = Object.entries(board.managers)[0] ?? []
      return manager === undefined ? '-' : fqdnOf(hostNamesOf(store, id, manager))
    }
    const semaphore = parts.semaphore ?? new Semaphore(settings.deliveries)
    const subscriptions = keep(
      new Subscriptions({ store, events, bodies, secrets, trust, settings, clock, semaphore, hostName })
    )
    const streams = keep(new EventStreams(store, events, bodies, configuration))
    const consoles = keep(new Consoles(store, devices.consoles, configuration.console))

    await store.commit(() => effectiveThresholds(store))
    new Thresholds(store, hardware, events, clock, configuration.health.settleTime).watch(devices)
    new PartFaults(store, board, events, clock, configuration.health.settleTime).watch(devices)
    await new PowerLimits(store, hardware, events, clock, configuration.health.settleTime).open(devices)
    const { interval, energySaveEvery } = configuration.sensors
    const audience: ReportAudience = {
      push: (report, definition) => events.report(report, definition),
      listens: () => streams.hasAny,
      show: (definition, isPushed, report) => streams.report(definition, isPushed, report)
    }
    const statistics = new Statistics(devices.sensors, (id) => sensorsOf(board, id), now)
    const supplies = (id: string) => powerSensors(board.chassis[id] ?? { powerSupplies: [] })
    const energy = keep(new EnergyMeters(store, devices.sensors, supplies, clock, energySaveEvery))
    const telemetry = keep(new Telemetry(store, board, devices.sensors, configuration.sensors, clock, audience))

    restoreIndicators(store, hardware)
    const started = (id: string) => event('MgmtEvents.ControllerStarted', `/redfish/v1/Managers/${id}`)
    let correctStartTime = async () => {}
    if (!place.resumed) {
      correctStartTime = await keepStartTime(store, now)
      await events.emit(...Object.keys(board.managers).map(started))
    }
    watchStorage(store, events, board)
    const losses = { Store: store.loss, SecretsKey: secrets.loss, ServerKey: identity.loss }
    await reportLosses(losses, { store, events, board, data: configuration.data, now: new Date(now()) })
    const triggers = new Triggers(store, board, events, telemetry, clock, configuration.health.settleTime)
    const sampled = () => {
      telemetry.sample()
      triggers.check()
    }
    const polling = keep(new Polling(devices.sensors, interval, sampled, store.log))
    await polling.poll()
    const tend = () => {
      accounts.tend()
      sessions.tend()
      licenses.check()
      void renew()
      enrollments.check()
      void correctStartTime()
      return store.tend()
    }
    keep(every(tendEvery, () => void tend()))
    enrollments.check()
    return { tend, identity, licenses, subscriptions, streams, consoles, telemetry, statistics, energy }
  })
}

function sensorsOf({ chassis }: Board, id: string) {
  const found = chassis[id]
  return found === undefined ? [] : boardSensors(found)
}

/** Sends the event of a certificate that was replaced without a request. @param work see `Identity.renew` */
async function tellReplaced(work: Promise<string | undefined>, board: Board, events: Events): Promise<void> {
  try {
    const subject = await work
    if (subject === undefined) return
    log.info('the certificate was replaced', { subject })
    const replaced = (manager: string) =>
      event('MgmtEvents.ServerCertificateReplaced', ownCertificateUri(manager), subject)
    await events.emit(...Object.keys(board.managers).map(replaced))
  } catch (error) {
    log.error('the certificate was not replaced', { cause: (error as Error).message })
  }
}

/** Lamps show what clients asked for, also after a power cut that put them out. */
function restoreIndicators(store: Store, hardware: Hardware): void {
  for (const chassis of store.keys('chassis')) {
    if (!Object.hasOwn(hardware.board.chassis, chassis)) continue
    const { locating, indicator } = store.get('chassis', chassis) ?? {}
    const state = indicator ?? (locating ? 'Blinking' : 'Off')
    const command = { kind: 'indicator', chassis, state } as const
    hardware.perform(command).catch((error: Error) => store.log.warning(error.message, { chassis }))
  }
}

/** Does something every so many milliseconds; that alone keeps no process alive. */
function every(time: number, work: () => void) {
  const timer = setInterval(work, time)
  timer.unref()
  return { close: () => clearInterval(timer) }
}
