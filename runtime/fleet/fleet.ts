import type { Board } from '#data/board'
import { SettingsError } from '#data/configuration'
import type { EquipmentKind, FleetDescription } from '#data/fleet'
import type { Clock } from '#hal/clock.ts'
import { log } from '#runtime/base/log.ts'
import { type Keep, opening } from '#runtime/base/opening.ts'
import { machineOf, readBoard, readBoardFile } from '#runtime/command/board-file.ts'
import type { Host } from '#runtime/open/options.ts'
import { fingerprint } from '#runtime/open/protocol.ts'
import { generatePassword } from '#runtime/service/accounts/administrator.ts'
import { slowHash } from '#runtime/service/accounts/passwords.ts'
import { Identity } from '#runtime/service/certificates/identity.ts'
import { Semaphore } from '#runtime/service/events/semaphore.ts'
import { keepAttributeRegistries } from '#runtime/service/machine/attribute-registry.ts'
import { startsPrograms } from '#runtime/service/machine/devices.ts'
import { Secrets } from '#runtime/store/secrets.ts'
import { SharedDatabase } from '#runtime/store/shared.ts'
import { Boards } from './boards.ts'
import { DatabaseCerts, SharedCerts } from './certs.ts'
import type { Common, Controller } from './controller.ts'
import { resourcesOf } from './equipment.ts'
import { addressesEach, kindOf, lastWithAddresses } from './identity.ts'
import { outletsKey, ownPart } from './keys.ts'
import type { Reach } from './plan.ts'
import { Racks } from './racks.ts'
import { Roster } from './roster.ts'
import { FleetTime } from './time.ts'

export interface FleetOptions extends Host {
  readonly description: FleetDescription
  readonly reaches: readonly Reach[]
  readonly adminPassword: string | undefined
  readonly clock: Clock
}

export type Fleet = Awaited<ReturnType<typeof openFleet>>

/**
 * Opens the state of a fleet. Its controllers are opened when they are asked.
 *
 * @throws StoreError, SettingsError; nothing stays open then
 */
export function openFleet({ description, reaches, ...parts }: FleetOptions) {
  return opening(async (keep) => {
    const { configuration } = description
    const data = description.data
    const known = new Map<string, ReturnType<typeof readBoardFile>>()
    const read = (name: string) => {
      const machine = known.get(name) ?? readBoardFile(name, parts)
      known.set(name, machine)
      return machine
    }
    const machines = await Promise.all(
      reaches.map(async (reach) => {
        const { board, ...recording } = await machineIn(reach, reaches, read, parts).catch((error: Error) => {
          throw new SettingsError(`${reach.path}.board: ${error.message}`)
        })
        keepAttributeRegistries(recording.documents)
        return { reach, recording, kind: kindOf(board, reach.group, recording.recorded) }
      })
    )
    const programs = machines.some(({ kind, recording }) => startsPrograms(kind.board, recording.backends))
    const unconfined = parts.confine?.(programs)
    if (unconfined !== undefined) log.warning('the kernel does not filter system calls', { error: unconfined })
    const database = keep(await SharedDatabase.open(`${data}/store`, configuration.store))
    const own = new Map(await database.entries(ownPart))
    const secrets = Secrets.open(`${data}/keys`, own.has('format'))
    const certs = keep(parts.openCerts(`${data}/tls`))
    const identity = await Identity.open(certs, secrets, new Date(parts.clock.now()), own.has('format'))

    const kept = secrets.open(own.get('password') ?? '')
    const generated = parts.adminPassword === undefined && kept === undefined ? generatePassword() : undefined
    const adminPassword = parts.adminPassword ?? kept ?? generated!
    await database.write(ownPart, [
      { key: 'format', value: '1' },
      { key: 'password', value: secrets.seal(adminPassword) }
    ])

    const time = keep(new FleetTime(description.speed))
    const roster = keep(new Roster(description, parts.clock))
    let racks: Racks | undefined
    const common: Omit<Common, 'backends'> = {
      ...parts,
      // Its controllers have one listener, which a client of one of them does not move.
      configuration: { ...configuration, data, portIsFixed: true },
      adminPassword,
      adminHash: await slowHash(adminPassword, configuration.password.iterations),
      semaphore: new Semaphore(configuration.events.deliveries),
      database,
      time,
      openSecrets: () => secrets,
      openIdentity: async (_controller, keep) => ({ certs: keep(new SharedCerts(certs)), identity }),
      opened: async (controller, service) => {
        roster.opened(controller, service)
        racks?.opened(controller, service)
      },
      changed: (controller) => roster.changed(controller)
    }
    const addresses = addressesEach(machines.map(({ kind }) => kind))
    for (const { reach, recording, kind } of machines) {
      const last = reach.first + reach.group.count - 1
      if (last > lastWithAddresses(addresses))
        throw new SettingsError(
          `${reach.path}: ${addresses} MAC addresses each are too many for a controller with the number ${last}`
        )
      const { certificates, domain } = reach.group
      const openIdentity = async (controller: Controller, keep: Keep) => {
        const certs = keep(await DatabaseCerts.open(database, `${controller.number}/tls`))
        const names = () => ({ dns: [`${controller.identity().hostName}.${domain}`], ip: [] })
        return { certs, identity: await Identity.open(certs, secrets, new Date(parts.clock.now()), false, names) }
      }
      const its = {
        ...{ ...common, ...recording, ...(certificates === 'own' && { openIdentity }) },
        fingerprint: fingerprint(
          ...[parts.version, kind.board, configuration, description.seed],
          ...[description.controllers, { ...reach.group, count: 0 }]
        )
      }
      const boards = new Boards(reach, kind.board, recording.backends)
      roster.add(reach, its, { kind, addresses, boards, neighbour: (number) => racks?.portOf(number) }, own)
    }
    if (reaches.some(({ group }) => group.place !== undefined)) {
      const boards = machines.map(({ reach, kind }) => ({ reach, board: kind.board }))
      const { interval } = configuration.sensors
      const outlets = (shelf: number) => JSON.parse(own.get(outletsKey(shelf)) ?? '[]')
      const keepOutlets = (shelf: number, off: readonly number[]) =>
        database.write(ownPart, [{ key: outletsKey(shelf), value: JSON.stringify(off) }])
      racks = keep(new Racks(boards, { roster, interval, outlets, keepOutlets }))
    }
    // A worker does not know the names of the others' controllers.
    if (description.workers === 1)
      for (const name of roster.unknown) log.warning('the file names an unknown controller', { name })
    return {
      ...{ database, identity, roster, time, adminPassword },
      documents: parts.documents,
      generatedPassword: generated
    }
  })
}

/** The machine of a group. @throws SettingsError */
async function machineIn(
  { group }: Reach,
  reaches: readonly Reach[],
  read: (board: string) => ReturnType<typeof readBoardFile>,
  host: Host
) {
  const { kind, racks } = group.place ?? { kind: 'Server', racks: [] }
  if (kind === 'Server') return read(group.board ?? 'sim')
  const beside = reaches.flatMap(({ group: other }) => (other.place?.racks === racks ? [other.place] : []))
  const count = (wanted: (kind: EquipmentKind) => boolean) =>
    beside.filter((other) => wanted(other.kind)).reduce((sum, other) => sum + other.each, 0)
  const size = { servers: count((other) => other === 'Server'), others: count((other) => other !== 'Switch') }
  const made = await host.recordings?.()
  if (made === undefined) throw new SettingsError('this program has no recordings, of which racks are made')
  const resources = resourcesOf(kind, size)
  return machineOf(kind, made.equipment(kind, resources, readBoard('sim', host.documents)) as Board, host)
}
