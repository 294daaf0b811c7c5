import type { FleetDescription } from '#data/fleet'
import { systemClock } from '#hal/clock.ts'
import { log } from '#runtime/base/log.ts'
import type { Named } from '#runtime/listen/named.ts'
import { HttpsServer, type ListenAlso } from '#runtime/listen/server.ts'
import { bracketed, listening } from '#runtime/listen/servers.ts'
import { Messages } from '#runtime/request/answer.ts'
import { Origins } from '#runtime/request/origin.ts'
import type { Identity } from '#runtime/service/certificates/identity.ts'
import { Control } from './control.ts'
import { FaultSetting } from './fault-setting.ts'
import type { Fleet } from './fleet.ts'
import { Front } from './front.ts'
import { Logins } from './logins.ts'
import { Metrics } from './metrics.ts'
import { FleetPage } from './page.ts'
import { addressOf, Finder, isShared, listenersOf, type Reach } from './plan.ts'
import type { Roster } from './roster.ts'
import { Rows } from './rows.ts'
import { Scenario } from './scenario.ts'
import { Statistics } from './statistics.ts'

/** The listener of a fleet, and what has it listen wherever controllers are reached, which gives their URLs. */
export function serverOf(
  { roster, identity, database, time, documents, adminPassword }: Fleet,
  { configuration, control, metrics: at, scenario: steps }: FleetDescription,
  reaches: readonly Reach[]
) {
  const finder = new Finder()
  const messages = new Messages(configuration.profile)
  const origins = new Origins(configuration.origins)
  const setting = new FaultSetting(database, (controller) => {
    roster.moved()
    roster.changed(controller)
  })
  const scenario = new Scenario(steps, { roster, setting, time, database })
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
          { roster, rows, setting, scenario, time, logins, documents, origins },
          words,
          configuration
        )
      },
      { ...configuration, limits }
    )
  const listen = async (listenAlso: ListenAlso) => {
    const nameOf = (number: number) => roster.get(number)!.identity().hostName ?? ''
    const urls = await listenAll(server, reaches, { finder, nameOf, listenAlso })
    if (metrics !== undefined) log.info('metrics', { url: `${await listenAt(metrics, at)}/metrics` })
    rows?.reachedAt(urls)
    await scenario.begin()
    return { urls, pageUrl: page && `${await listenAt(page, pageAt!)}/` }
  }
  return { server, page, metrics, listen }
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

/** Listens wherever controllers are reached. @returns their URLs @throws Error in one line */
async function listenAll(
  server: HttpsServer,
  reaches: readonly Reach[],
  { finder, nameOf, listenAlso }: { finder: Finder; nameOf: (number: number) => string; listenAlso: ListenAlso }
): Promise<string[]> {
  const urls: string[] = []
  const shared = new Map<string, number>()
  let isFirst = true
  const progress = progressOf(reaches.reduce((sum, { group }) => sum + group.count, 0))
  /** @param index of the controller, if it has a listener of its own */
  const listen = async ({ group, path, ...reach }: Reach, port: number, index?: number) => {
    const address = index === undefined ? reach.address! : addressOf({ group, path, ...reach }, index)
    const begun = isFirst ? server.listen(port, address) : server.listenAlso(port, address, listenAlso)
    isFirst = false
    try {
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
      progress(urls.length + index + 1)
    }
    return ports
  }
  for (const reach of reaches.filter(({ group }) => group.count > 0)) {
    const { group, first } = reach
    const ports = await listenOf(reach)
    const { domain } = group
    const names = Array.from(
      { length: domain === undefined ? 0 : group.count },
      (_, index) => `${nameOf(first + index)}.${domain}`
    )
    finder.add(reach, ports, names)
    for (const url of urlsOf(reach, ports, names)) urls.push(url)
  }
  return urls
}

function urlsOf(reach: Reach, ports: readonly number[], names: readonly string[]): string[] {
  return Array.from({ length: reach.group.count }, (_, index) => {
    const port = isShared(reach.group) ? ports[0] : ports[index]
    return `https://${names[index] ?? bracketed(addressOf(reach, index))}:${port}/redfish/v1/`
  })
}

/** Tells the log each second how many controllers are listening, while not all of them are. */
function progressOf(all: number): (done: number) => void {
  let told = performance.now()
  return (done) => {
    if (performance.now() - told < 1000) return
    told = performance.now()
    log.info('starting', { controllers: done, of: all })
  }
}
