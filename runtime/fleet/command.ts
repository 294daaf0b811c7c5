import { readFileSync } from 'node:fs'
import process from 'node:process'
import { SettingsError } from '#data/configuration'
import {
  describeFleet,
  type FleetDescription,
  type FleetFile,
  fleetSchema,
  identityFault,
  racksFault
} from '#data/fleet'
import { systemClock } from '#hal/clock.ts'
import { log, setLogLevel } from '#runtime/base/log.ts'
import { lineOf } from '#runtime/command/json.ts'
import { grace, signalled } from '#runtime/command/run.ts'
import { parseFlags, readAdminPassword, readJson } from '#runtime/command/settings.ts'
import type { ListenAlso } from '#runtime/listen/server.ts'
import type { FleetCommand, Host } from '#runtime/open/options.ts'
import { fileFaults } from '#runtime/schema'
import { checkAddresses } from './address-setting.ts'
import { type Fleet, openFleet } from './fleet.ts'
import { type Member, replaceInventory } from './inventory.ts'
import { inventoryGroups } from './listed.ts'
import { listenersOf, planReach, type Reach } from './plan.ts'
import { serverOf } from './serve.ts'
import { top } from './top.ts'
import { checkWorkers, orphaned, runWorkers, shareOf, workerIn } from './workers.ts'

const fleetHelp = `Usage: minnow fleet FILE
       minnow fleet --count N [options]
       minnow fleet --inventory FILE [options]
       minnow fleet top ADDRESS:PORT ... [--lines N] [--sort errors|time|answers|faults|group]

Many simulated controllers, each with a state, accounts and an identity of its own.

  FILE               describes the fleet, JSON: minnow schema fleet prints its schema
  --count N          so many controllers
  --inventory FILE   those that a file lists: CSV, or an export of NetBox
  --board NAME|FILE  the machine that each of them manages (default sim)
  --port N           port of the first; the others have those that follow (default 8443; 0: each has a free one)
  --network PREFIX   each has an address of its own in this network, as in 127.20.0.0/16, and all have the same port
  --domain NAME      all have one address and port, and are distinguished by names as bmc-00007.NAME
  --certificates own each has a certificate for its name (default shared: one for all)
  --address ADDRESS  address to listen on (default with --network those of the controllers, otherwise all)
  --workers N        so many processes serve a part of the controllers each (default 1), with a page and metrics of each at
                     the ports from those of --control and --metrics on
  --data DIR         where the state of all of them is kept (default minnow-fleet)
  --config FILE      configuration of each of them, a JSON file
  --control ADDRESS:PORT  where the page of the fleet is, over HTTPS and with the password of "admin"; it changes faults,
                     power and controllers, and each controller has a resource for its faults (default nowhere)
  --metrics ADDRESS:PORT  where /metrics is for Prometheus, over HTTPS and without a login (default nowhere)

DIR/inventory.json lists where each controller is and what it calls itself. Environment: MINNOW_ADMIN_PASSWORD, or the
file that MINNOW_ADMIN_PASSWORD_FILE names, sets the password of "admin" of all controllers. MINNOW_FLEET_PART=N begins
their numbers after those of N such fleets. top prints what the metrics of a fleet say each second: a line for all, and
one for each group, those with the most errors first.
`

const texts = ['board', 'network', 'domain', 'certificates', 'address'] as const
const flags = ['count', 'inventory', 'port', 'workers', 'data', 'config', 'control', 'metrics', ...texts] as const

/** Descriptors that a fleet needs beside those of its listeners. */
const spare = 256

/**
 * `minnow fleet …`
 *
 * @param listenAlso how the host listens at many places
 * @param program how this program is started, without arguments
 */
export const fleetCommand =
  (listenAlso: ListenAlso, program: readonly string[]): NonNullable<FleetCommand> =>
  async (args, host) => {
    if (args[0] === 'top') return await top(args.slice(1))
    host.unlimitHeap?.()
    try {
      await fleet(args, host, listenAlso, program)
    } catch (error) {
      if (error instanceof Error) error.message = placed(error.message, args)
      throw error
    }
  }

/** A message that begins with a path in the file, with the name of the file and the line; without the path on a command line. */
export function placed(message: string, [file = '']: readonly string[]): string {
  const [, row, member] = /^(\S.*?:\d+)\.(\w+: .*)$/s.exec(message) ?? []
  if (row !== undefined) return `${row}: ${member}`
  if (file.startsWith('-')) return message.replace(/^(groups\.0|inventory)(\.\w+)?(: |\.)/, '')
  const [, path = ''] = /^([^\s:]+)(: | )/.exec(message) ?? []
  try {
    const line = lineOf(readFileSync(file, 'utf8'), path.split('.'))
    return line === undefined ? message : `${file}:${line}: ${message}`
  } catch {
    return message
  }
}

/**
 * Serves until a signal says stop.
 *
 * @param args what follows `fleet` on the command line
 * @throws SettingsError, StoreError
 */
async function fleet(
  args: readonly string[],
  host: Host,
  listenAlso: ListenAlso,
  program: readonly string[]
): Promise<void> {
  const { own, worker } = workerIn(args)
  const whole = readDescription(own)
  if (whole === undefined) {
    process.stdout.write(fleetHelp)
    return
  }
  setLogLevel(whole.configuration.log)
  const all = planReach(whole.groups, partOf(process.env.MINNOW_FLEET_PART))
  checkAddresses(whole.scenario, all)
  const adminPassword = readAdminPassword(process.env, whole.configuration)
  const signal = signalled()
  if (worker === undefined) {
    checkWorkers(whole, all, adminPassword)
    if (whole.workers > 1) return await runWorkers(program, own, whole, signal, announce)
  }
  const { description, reaches } =
    worker === undefined ? { description: whole, reaches: all } : shareOf(whole, all, worker)
  checkDescriptors(reaches)
  const stopped = worker === undefined ? signal : Promise.race([signal, orphaned()])
  const opened = await openFleet({ ...host, description, reaches, adminPassword, clock: systemClock })
  try {
    if (opened.generatedPassword !== undefined)
      process.stderr.write(`minnow: the password of admin is ${opened.generatedPassword}\n`)
    const { server, listen, page, metrics, addresses } = serverOf(opened, description, reaches, listenAlso)
    try {
      const { pageUrl } = await listen()
      let members = membersOf(opened)
      replaceInventory(description.data, members)
      addresses.onChanged(({ number, url }) => {
        members = members.map((each) => (each.number === number ? { ...each, url } : each))
        replaceInventory(description.data, members)
      })
      if (worker === undefined) announce(members)
      if (pageUrl !== undefined) {
        // The first line of output is that of the process that has started the workers.
        if (worker === undefined) process.stdout.write(`minnow: open ${pageUrl} in a browser\n`)
        else log.info('page', { url: pageUrl })
      }
      log.info('listening', { controllers: members.length })
      const waking = opened.roster.wake(opened.database, stopped)
      await stopped
      log.info('stopping')
      await waking
    } finally {
      await Promise.all([server, page, metrics].map((each) => each?.close(grace)))
    }
  } finally {
    await opened.close()
  }
}

function announce(members: readonly Member[]): void {
  const range = members.length === 1 ? members[0]!.url : `${members[0]!.url} to ${members.at(-1)!.url}`
  process.stdout.write(`minnow: fleet of ${members.length} listening on ${range}\n`)
}

/** The fleet that a command line, or the file that it names, describes; undefined if help is asked for. @throws SettingsError */
export function readDescription(args: readonly string[]): FleetDescription | undefined {
  const [file = '', ...rest] = args
  if (file !== '' && !file.startsWith('-')) {
    if (rest.length > 0) throw new SettingsError(`unknown option ${rest[0]} (see minnow fleet --help)`)
    return described(readJson(file))
  }
  const given = parseFlags(args, flags)
  if (given.has('help')) return undefined
  const number = (name: string) => (given.has(name) ? { [name]: Number(given.get(name) || 'none') } : {})
  const text = (...names: string[]) => Object.fromEntries(names.flatMap((name) => named(given, name)))
  const group = { ...number('count'), ...number('port'), ...text(...texts) }
  const config = given.get('config')
  const configuration = config === undefined ? {} : { configuration: readJson(config) }
  const listed = given.get('inventory')
  if (listed === undefined && !given.has('count'))
    throw new SettingsError('a fleet needs --count, --inventory or a file (see minnow fleet --help)')
  const controllers = listed === undefined ? { groups: [group] } : { inventory: { file: listed, ...group } }
  return described({ ...text('data', 'control', 'metrics'), ...number('workers'), ...configuration, ...controllers })
}

function described(given: unknown): FleetDescription {
  const file = checkFleet(given)
  return describeFleet(file, file.inventory && inventoryGroups(file.inventory))
}

function named(given: ReadonlyMap<string, string>, name: string): [string, string][] {
  const value = given.get(name)
  return value === undefined ? [] : [[name, value]]
}

/** @throws SettingsError with the first mistake, after its path */
export function checkFleet(given: unknown): FleetFile {
  const [fault] = fileFaults(fleetSchema, given, '.')
  if (fault !== undefined) throw new SettingsError(fault)
  const { control, groups = [], racks = [], inventory } = given as FleetFile
  if (typeof control === 'string' && !/^.+:\d{1,5}$/.test(control))
    throw new SettingsError(`control is neither true, false, nor an address and a port: ${control}`)
  if (groups.length + racks.length === 0 && inventory === undefined)
    throw new SettingsError(`groups ${(given as { groups?: unknown }).groups ? 'has no elements' : 'is missing'}`)
  const checkIdentities = (path: string, all: typeof groups) => {
    for (const [index, group] of all.entries()) {
      const fault = identityFault(group)
      if (fault !== undefined) throw new SettingsError(`${path}.${index}.identity.${fault}`)
    }
  }
  checkIdentities('groups', groups)
  const listedFault = inventory && identityFault({ ...inventory, count: 2 })
  if (listedFault !== undefined) throw new SettingsError(`inventory.identity.${listedFault}`)
  for (const [index, { count = 1, servers }] of racks.entries()) {
    const all = servers.map((group) => ({ ...group, count: group.count * count }))
    checkIdentities(`racks.${index}.servers`, all)
  }
  const rackFault = racksFault(racks)
  if (rackFault !== undefined) throw new SettingsError(rackFault)
  return given as FleetFile
}

/** Which of several fleets that are alike this is. @throws SettingsError */
function partOf(given = '0'): number {
  if (!/^\d{1,6}$/.test(given)) throw new SettingsError(`MINNOW_FLEET_PART is not a number: ${given}`)
  return Number(given)
}

/** @throws SettingsError when the process may not have that many descriptors */
function checkDescriptors(reaches: readonly Reach[]): void {
  const listeners = reaches.reduce((sum, reach) => sum + listenersOf(reach), 0)
  const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  if (limit === undefined || listeners + spare <= Number(limit)) return
  throw new SettingsError(
    `${listeners} listeners need as many descriptors, and the limit is ${limit}: raise it with ulimit -n, or let a network listen on all addresses with --address 0.0.0.0`
  )
}

function membersOf({ roster }: Fleet): Member[] {
  return Array.from(roster, (controller) => ({
    number: controller.number,
    url: controller.url,
    ...controller.place,
    ...controller.identity()
  }))
}
