import { readFileSync } from 'node:fs'
import process from 'node:process'
import { SettingsError } from '#data/configuration'
import { describeFleet, type FleetDescription, fleetSchema } from '#data/fleet'
import { replaceFile } from '#hal/files.ts'
import { fileFaults, type Immutable, type Infer } from '#runtime/contract'
import type { Host } from '#runtime/host/parts.ts'
import { bracketed, grace, listening, signalled } from '#runtime/host/run.ts'
import { HttpsServer, type ListenAlso } from '#runtime/host/server.ts'
import { parseFlags, readAdminPassword, readJson } from '#runtime/host/settings.ts'
import { Messages } from '#runtime/request/answer.ts'
import { log, setLogLevel } from '#runtime/store/log.ts'
import { Control } from './control.ts'
import { type Fleet, openFleet } from './fleet.ts'
import { Front } from './front.ts'
import { addressOf, Finder, planReach, type Reach } from './plan.ts'

export const fleetHelp = `Usage: minnow fleet FILE
       minnow fleet --count N [options]

Many simulated controllers in one process, each with a state, accounts and an identity of its own.

  FILE               describes the fleet, JSON: minnow schema fleet prints its schema
  --count N          so many controllers
  --board NAME|FILE  the machine that each of them manages (default sim)
  --port N           port of the first; the others have those that follow (default 8443; 0: each has a free one)
  --network PREFIX   each has an address of its own in this network, as in 127.20.0.0/16, and all have the same port
  --address ADDRESS  address to listen on (default all of the machine)
  --data DIR         where the state of all of them is kept (default minnow-fleet)
  --config FILE      configuration of each of them, a JSON file

DIR/inventory.json lists where each controller is and what it calls itself. Environment: MINNOW_ADMIN_PASSWORD, or the
file that MINNOW_ADMIN_PASSWORD_FILE names, sets the password of "admin" of all controllers.
`

const flags = ['count', 'board', 'port', 'network', 'address', 'data', 'config'] as const

/** Descriptors that a fleet needs beside those of its listeners. */
const spare = 256

/**
 * `minnow fleet …`.
 *
 * @param listenAlso how the host listens at many places
 * @param prepare lifts limits of the host that are those of a single controller
 */
export const fleetCommand =
  (listenAlso: ListenAlso, prepare = () => {}): NonNullable<Host['fleet']> =>
  async (args, host) => {
    prepare()
    await fleet(args, host, listenAlso)
  }

/**
 * Serves until a signal says stop.
 *
 * @param args what follows `fleet` on the command line
 * @throws SettingsError, StoreError
 */
async function fleet(args: readonly string[], host: Host, listenAlso: ListenAlso): Promise<void> {
  const description = readDescription(args)
  if (description === undefined) {
    process.stdout.write(fleetHelp)
    return
  }
  const { configuration, groups, data } = description
  setLogLevel(configuration.log)
  const reaches = planReach(groups)
  checkDescriptors(reaches)
  const adminPassword = readAdminPassword(process.env, configuration)
  const unconfined = host.confine?.(false)
  if (unconfined !== undefined) log('warning', 'the kernel does not filter system calls', { error: unconfined })
  const stopped = signalled()
  const opened = await openFleet({ ...host, description, reaches, adminPassword, now: Date.now })
  try {
    if (opened.generatedPassword !== undefined)
      process.stderr.write(`minnow: the password of admin is ${opened.generatedPassword}\n`)
    const finder = new Finder()
    const server = serverOf(opened, description, finder)
    try {
      const urls = await listenAll(server, reaches, finder, listenAlso)
      replaceFile(`${data}/inventory.json`, inventory(opened, urls))
      const range = urls.length === 1 ? urls[0] : `${urls[0]} to ${urls.at(-1)}`
      process.stdout.write(`minnow: fleet of ${urls.length} listening on ${range}\n`)
      log('info', 'listening', { controllers: urls.length })
      const waking = opened.roster.wake(opened.database, stopped)
      await stopped
      log('info', 'stopping')
      await waking
    } finally {
      await server.close(grace)
    }
  } finally {
    await opened.close()
  }
}

/** The fleet that a command line, or the file that it names, describes; undefined where help is asked for. @throws SettingsError */
export function readDescription(args: readonly string[]): FleetDescription | undefined {
  const [file = '', ...rest] = args
  if (file !== '' && !file.startsWith('-')) {
    if (rest.length > 0) throw new SettingsError(`unknown option ${rest[0]} (see minnow fleet --help)`)
    return describeFleet(check(readJson(file), `${file}: `))
  }
  const given = parseFlags(args, flags)
  if (given.has('help')) return undefined
  const number = (name: string) => (given.has(name) ? { [name]: Number(given.get(name) || 'none') } : {})
  const text = (...names: string[]) => Object.fromEntries(names.flatMap((name) => named(given, name)))
  const group = { ...number('count'), ...number('port'), ...text('board', 'network', 'address') }
  const config = given.get('config')
  const configuration = config === undefined ? {} : { configuration: readJson(config) }
  if (!given.has('count')) throw new SettingsError('a fleet needs --count or a file (see minnow fleet --help)')
  return describeFleet(check({ ...text('data'), ...configuration, groups: [group] }, ''))
}

function named(given: ReadonlyMap<string, string>, name: string): [string, string][] {
  const value = given.get(name)
  return value === undefined ? [] : [[name, value]]
}

/** @throws SettingsError with the first thing that is wrong */
function check(given: unknown, where: string): Immutable<Infer<typeof fleetSchema>> {
  const [fault] = fileFaults(fleetSchema, given, '.')
  if (fault !== undefined) throw new SettingsError(`${where}${fault.replace(/^groups\.0\./, '')}`)
  const { groups } = given as Immutable<Infer<typeof fleetSchema>>
  if (groups.length === 0) throw new SettingsError(`${where}groups has no elements`)
  return given as Immutable<Infer<typeof fleetSchema>>
}

/** @throws SettingsError when the process may not have that many descriptors */
function checkDescriptors(reaches: readonly Reach[]): void {
  const listeners = reaches.reduce((sum, { network, group }) => sum + (network === undefined ? group.count : 1), 0)
  const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  if (limit === undefined || listeners + spare <= Number(limit)) return
  throw new SettingsError(
    `${listeners} ports need as many descriptors, and the limit is ${limit}: raise it with ulimit -n, or use a network`
  )
}

function serverOf(
  { roster, identity, database }: Fleet,
  { configuration, control }: FleetDescription,
  finder: Finder
): HttpsServer {
  const messages = new Messages(configuration.profile)
  const handling = new Front(
    roster,
    finder,
    messages,
    control ? new Control(database, messages, () => roster.moved()) : undefined
  )
  const served = {
    handling,
    identity,
    clientCertificates: { enabled: false, onSwitched: () => () => undefined },
    sessions: { untilStored: () => undefined },
    store: { revisions: roster }
  }
  return new HttpsServer(served, configuration)
}

/** Listens wherever controllers are reached. @returns their URLs @throws Error in one line */
async function listenAll(
  server: HttpsServer,
  reaches: readonly Reach[],
  finder: Finder,
  listenAlso: ListenAlso
): Promise<string[]> {
  const urls: string[] = []
  const shared = new Map<string, number>()
  let isFirst = true
  const listen = (port: number, address: string) => {
    const begun = isFirst ? server.listen(port, address) : server.listenAlso(port, address, listenAlso)
    isFirst = false
    return listening(begun, port, address)
  }
  for (const reach of reaches) {
    const { port, address, network, group } = reach
    const numbers: number[] = []
    if (network === undefined) {
      for (let index = 0; index < group.count; index += 1) {
        numbers.push(await listen(port === 0 ? 0 : port + index, address))
      }
    } else {
      const place = `${address} ${port}`
      const known = port === 0 ? undefined : shared.get(place)
      numbers.push(known ?? (await listen(port, address)))
      shared.set(place, numbers[0]!)
    }
    finder.add(reach, numbers)
    urls.push(...urlsOf(reach, numbers))
  }
  return urls
}

function urlsOf(reach: Reach, ports: readonly number[]): string[] {
  return Array.from({ length: reach.group.count }, (_, index) => {
    const port = reach.network === undefined ? ports[index] : ports[0]
    return `https://${bracketed(addressOf(reach, index))}:${port}/redfish/v1/`
  })
}

/** A line for each controller, JSON all together. */
function inventory({ roster }: Fleet, urls: readonly string[]): string {
  const lines = Array.from(roster, (controller) =>
    JSON.stringify({ number: controller.number, url: urls[controller.number - 1], ...controller.identity() })
  )
  return `[\n${lines.join(',\n')}\n]\n`
}
