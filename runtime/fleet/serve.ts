import type { FleetDescription } from '#data/fleet'
import { systemClock } from '#hal/clock.ts'
import { log } from '#runtime/base/log.ts'
import type { Named } from '#runtime/listen/named.ts'
import { HttpsServer, type ListenAlso } from '#runtime/listen/server.ts'
import { bracketed, listening } from '#runtime/listen/servers.ts'
import { Messages } from '#runtime/request/answer.ts'
import { Origins } from '#runtime/request/origin.ts'
import type { Identity } from '#runtime/service/certificates/identity.ts'
import { AddressSetting } from './address-setting.ts'
import { Control } from './control.ts'
import { FaultSetting } from './fault-setting.ts'
import type { Fleet } from './fleet.ts'
import { Front } from './front.ts'
import { Logins } from './logins.ts'
import { Metrics } from './metrics.ts'
import { FleetPage } from './page.ts'
import { addressOf, Finder, hasListenerEach, isShared, listenersOf, type Reach } from './plan.ts'
import type { Roster } from './roster.ts'
import { Rows } from './rows.ts'
import { Scenario } from './scenario.ts'
import { Statistics } from './statistics.ts'

/** The listener of a fleet, and what has it listen wherever controllers are reached, which gives them their URLs. */
export function serverOf(
  { roster, identity, database, time, documents, adminPassword }: Fleet,
  { configuration, control, metrics: at, scenario: steps }: FleetDescription,
  reaches: readonly Reach[],
  listenAlso: ListenAlso
) {
  const finder = new Finder()
  const messages = new Messages(configuration.profile)
  const origins = new Origins(configuration.origins)
  const setting = new FaultSetting(database, (controller) => {
    roster.moved()
    roster.changed(controller)
  })
  const faults = control === false ? undefined : new Control(setting, origins, messages)
  const statistics = at === '' ? undefined : counted(roster)
  const parts = {
    identity,
    clientCertificates: { enabled: false, onSwitched: () => () => undefined },
    sessions: { untilStored: () => undefined },
    store: { revisions: roster }
  }
  // Answers that the listener gives again by itself would not be counted.
  const limits = statistics === undefined ? configuration.limits : { ...configuration.limits, repeats: 0 }
  const named = reaches.some(({ group }) => group.certificates === 'own') ? byName(roster, finder, identity) : undefined
  const handling = new Front(roster, finder, messages, faults, statistics)
  const server = new HttpsServer({ ...parts, handling, named }, { ...configuration, limits })
  const addresses = new AddressSetting({
    ...{ database, finder },
    listenAt: (port, address) => server.listenAlso(port, address, listenAlso),
    endConnections: (isMeant) => server.endConnections(isMeant)
  })
  addresses.onChanged((controller) => {
    controller.url = urlOf(controller.address!, new URL(controller.url).port)
    roster.moved()
    roster.changed(controller)
  })
  const scenario = new Scenario(steps, { roster, setting, addresses, time, database })
  const metrics =
    statistics &&
    new HttpsServer({ ...parts, handling: new Metrics(roster, statistics, messages) }, { ...configuration, limits })
  const pageAt = typeof control === 'string' ? control : undefined
  const rows = pageAt === undefined ? undefined : new Rows(roster)
  const logins = new Logins(adminPassword, configuration, systemClock)
  // Its reader has no registries to look texts up in.
  const words = new Messages('verbose')
  const page =
    rows &&
    new HttpsServer(
      {
        ...parts,
        handling: new FleetPage(
          { roster, rows, setting, addresses, scenario, time, logins, documents, origins },
          words,
          configuration
        )
      },
      { ...configuration, limits }
    )
  const listen = async () => {
    await listenAll(server, reaches, { finder, roster, addresses, listenAlso })
    if (metrics !== undefined) log.info('metrics', { url: `${await listenAt(metrics, at)}/metrics` })
    await scenario.begin()
    return { pageUrl: page && `${await listenAt(page, pageAt!)}/` }
  }
  return { server, page, metrics, addresses, listen }
}

/** The certificates of controllers that have their own. Who asks for one has the controller opened. */
function byName(roster: Roster, finder: Finder, shared: Identity): Named {
  return {
    async pairOf(name) {
      const controller = roster.get(finder.certified(name) ?? 0)
      if (controller === undefined) return undefined
      roster.asked(controller)
      return (await controller.open()).identity.pair
    },
    onReplaced: (listener) =>
      roster.onOpened(({ identity }) => {
        if (identity !== shared) identity.on(listener)
      })
  }
}

/** Counts what happens with controllers. */
function counted(roster: Roster): Statistics {
  const statistics = new Statistics()
  roster.onOpened(({ store }) => {
    store.on('event', (key) => {
      if (store.get('event', key) !== undefined) statistics.events += 1
    })
  })
  return statistics
}

/** @param place an address, in brackets if it has colons, and a port @returns its URL @throws Error in one line */
async function listenAt(server: HttpsServer, place: string): Promise<string> {
  const colon = place.lastIndexOf(':')
  const [address, port] = [place.slice(0, colon).replace(/^\[|\]$/g, ''), Number(place.slice(colon + 1))]
  const own = await listening(server.listen(port, address), port, address)
  return `https://${bracketed(address)}:${own}`
}

interface Places {
  readonly finder: Finder
  readonly roster: Roster
  readonly addresses: AddressSetting
  readonly listenAlso: ListenAlso
}

/** Listens wherever controllers are reached, and gives them their URLs. @throws Error in one line */
async function listenAll(
  server: HttpsServer,
  reaches: readonly Reach[],
  { finder, roster, addresses, listenAlso }: Places
): Promise<void> {
  let done = 0
  const shared = new Map<string, number>()
  let isFirst = true
  const progress = progressOf(reaches.reduce((sum, { group }) => sum + group.count, 0))
  /** @param index of the controller, if it has a listener of its own */
  const listen = async (reach: Reach, port: number, index?: number) => {
    const { group, path } = reach
    try {
      if (index !== undefined && hasListenerEach(reach))
        return await addresses.listen(roster.get(reach.first + index)!, port)
      const address = index === undefined ? reach.address! : addressOf(reach, index)
      const begun = isFirst
        ? server.listen(port, address)
        : server.listenAlso(port, address, listenAlso).then((place) => place.port)
      isFirst = false
      return await listening(begun, port, address)
    } catch (error) {
      const { message, cause } = error as Error
      const listed = index === undefined ? undefined : group.listed?.[index]
      const local = group.network ?? listed?.address
      const hint = cause === 'EADDRNOTAVAIL' && local !== undefined ? `: ip route add local ${local} dev lo` : ''
      throw new Error(`${listed?.path ?? path}: ${message}${hint}`)
    }
  }
  /** The ports of the listeners of a group. */
  const listenOf = async (reach: Reach): Promise<number[]> => {
    const { port, address, group } = reach
    const ports: number[] = []
    if (address !== undefined && listenersOf(reach) === 1 && isShared(group)) {
      const place = `${address} ${port}`
      const known = port === 0 ? undefined : shared.get(place)
      ports.push(known ?? (await listen(reach, port)))
      shared.set(place, ports[0]!)
      return ports
    }
    for (let index = 0; index < group.count; index += 1) {
      const own = isShared(group) ? (ports[0] ?? port) : port === 0 ? 0 : port + index
      ports.push(await listen(reach, own, index))
      progress(done + index + 1)
    }
    return ports
  }
  for (const reach of reaches.filter(({ group }) => group.count > 0)) {
    const { group, first } = reach
    const ports = await listenOf(reach)
    const { domain } = group
    const names = Array.from(
      { length: domain === undefined ? 0 : group.count },
      (_, index) => `${roster.get(first + index)!.identity().hostName ?? ''}.${domain}`
    )
    finder.add(reach, ports, names)
    for (let index = 0; index < group.count; index += 1) {
      const controller = roster.get(first + index)!
      const port = (isShared(group) ? ports[0] : ports[index])!
      const planned = addressOf(reach, index)
      const { address = planned, number } = controller
      if (address !== planned) finder.move(number, { from: planned, to: address, port })
      controller.url = urlOf(names[index] ?? address, port)
    }
    done += group.count
  }
}

/** Of a service root. @param host an address or a name */
const urlOf = (host: string, port: number | string) => `https://${bracketed(host)}:${port}/redfish/v1/`

/** Tells the log each second how many controllers are listening, while not all of them are. */
function progressOf(all: number): (done: number) => void {
  let told = performance.now()
  return (done) => {
    if (performance.now() - told < 1000) return
    told = performance.now()
    log.info('starting', { controllers: done, of: all })
  }
}
