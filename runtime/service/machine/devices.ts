/*
 * A new device: its interface is in `hal`, with a suite in `test/hal/contracts`, and its back ends in `hal/backends.ts`.
 * Add it to `Backends` and `Devices`, and open it in `openDevices`.
 * Name it in `Device` of `data/board/members.ts` and in `boardSchema` of `data/board/board.ts`.
 */

import type { Backend, Board, Device } from '#data/board'
import { SettingsError } from '#data/configuration'
import { boardSensors } from '#data/sensors'
import { components } from '#data/updates'
import type { BiosSettings } from '#hal/bios.ts'
import type { BootOverrides } from '#hal/boot-override.ts'
import type { Certificates } from '#hal/certificates.ts'
import type { Console } from '#hal/console.ts'
import type { Drive } from '#hal/drives.ts'
import type { Dumps } from '#hal/dumps.ts'
import { HalError } from '#hal/errors.ts'
import type { EventLog } from '#hal/event-log.ts'
import type { Firmware } from '#hal/firmware.ts'
import type { Indicator } from '#hal/indicators.ts'
import type { Inventory } from '#hal/inventory.ts'
import type { Media } from '#hal/media.ts'
import type { Keeper } from '#hal/memory.ts'
import type { Network } from '#hal/network.ts'
import type { Nvram } from '#hal/nvram.ts'
import type { Port } from '#hal/ports.ts'
import type { PostCodes } from '#hal/post-codes.ts'
import type { BeforeBoot, Power } from '#hal/power.ts'
import type { PowerLimit } from '#hal/power-limit.ts'
import type { Sensor, Sensors } from '#hal/sensors.ts'
import type { Users } from '#hal/users.ts'
import type { Watchdog } from '#hal/watchdog.ts'
import type { Log } from '#runtime/base/log.ts'
import type { Closable, Keep } from '#runtime/base/opening.ts'
import type { ObjectProperty } from '#runtime/schema'
import type { Store } from '#runtime/store/store.ts'
import type { Devices } from './machine.ts'

/** Arguments of a back end: its options in the board file, which fit its declaration, and more. */
export interface BackendArguments {
  readonly [option: string]: unknown
  /** Of the device, unique on the machine. */
  readonly name: string
  /** Where a simulated device keeps its state, unless there is a keeper. */
  readonly directory: string
  readonly keeper?: Keeper | undefined
  /** The supply of the machine failed since the last process: of simulated hosts. */
  readonly supplyFailed?: boolean | undefined
  readonly warn: (text: string) => void
}

/** Arguments of a back end of power: also the work before each boot of its host. */
interface PowerArguments extends BackendArguments {
  readonly beforeBoot: BeforeBoot
}

/** Arguments of a back end of sensors: also the sensors to read, and the host and the power limit beside them, if any. */
export interface SensorsArguments extends BackendArguments {
  readonly sensors: readonly Sensor[]
  readonly host: Power | undefined
  readonly limit: PowerLimit | undefined
}

/** Arguments of a back end of a console, or of POST codes: also the host. */
export interface ConsoleArguments extends BackendArguments {
  readonly host: Power
}

/** Arguments of a back end of firmware: also the version that a simulated component starts with. */
export interface FirmwareArguments extends BackendArguments {
  readonly version: string
}

/** Back ends of a device, by the `type` that a board file names. */
interface Types<Opened, T extends BackendArguments = BackendArguments> {
  readonly [type: string]: {
    readonly options: ObjectProperty
    readonly open: (args: T) => Opened
    /** The device is another program, which it starts. */
    readonly startsPrograms?: boolean
  }
}

/** The back ends that a host offers. */
export interface Backends extends Record<Device, Types<unknown, never>> {
  readonly power: Types<Power, PowerArguments>
  readonly bios: Types<BiosSettings>
  readonly bootOverride: Types<BootOverrides>
  readonly dumps: Types<Dumps>
  readonly eventLog: Types<EventLog>
  readonly indicator: Types<Indicator>
  readonly inventory: Types<Inventory>
  readonly nvram: Types<Nvram>
  readonly media: Types<Media>
  readonly port: Types<Port>
  readonly network: Types<Network>
  readonly firmware: Types<Firmware, FirmwareArguments>
  readonly console: Types<Console, ConsoleArguments>
  readonly postCodes: Types<PostCodes, ConsoleArguments>
  readonly drive: Types<Drive>
  readonly sensors: Types<Sensors, SensorsArguments>
  readonly users: Types<Users>
  readonly watchdog: Types<Watchdog>
  readonly certificates: Types<Certificates>
  readonly powerLimit: Types<PowerLimit, never>
}

/** Whether a device of the board is a program that its back end starts. */
export function startsPrograms(board: Board, backends: Backends): boolean {
  return Object.values(board.systems).some(({ power }) => backends.power[power.type]?.startsPrograms === true)
}

/** Opens a back end that a board names. @throws SettingsError when the host has no such one, or it refuses its options */
function opener(board: Board, backends: Backends, memory: Memory, log: Log, keep: Keep) {
  return <T extends Closable>(kind: Device, id: string, { type, ...options }: Backend, more: object = {}): T => {
    const backend = (backends[kind] as Types<Closable>)[type]
    if (backend === undefined) throw new SettingsError(`board ${board.name}: there is no back end ${type} for ${kind}`)
    const warn = (text: string) => log.warning(text)
    try {
      return keep(backend.open({ ...options, name: `${kind}-${id}`, ...memory, warn, ...more }) as T)
    } catch (error) {
      throw error instanceof HalError ? new SettingsError(`board ${board.name}: ${error.message}`) : error
    }
  }
}

/** Maps entries by their ids. All controllers of a fleet share the map without entries. */
function mapped<T>(entries: readonly (readonly [string, T])[]): ReadonlyMap<string, T> {
  return entries.length === 0 ? none : new Map(entries)
}

const none: ReadonlyMap<string, never> = new Map<string, never>()

type Memory = Pick<BackendArguments, 'directory' | 'keeper' | 'supplyFailed'>

/** The program that knows the parts of a machine; undefined if its board names none. @throws SettingsError likewise */
export function openInventory(board: Board, backends: Backends, { log }: Pick<Store, 'log'>, keep: Keep) {
  const { inventory } = board
  return (
    inventory && opener(board, backends, { directory: '' }, log, keep)<Inventory>('inventory', board.name, inventory)
  )
}

/**
 * The devices of a board on the back ends that it names. Their faults are written to the log of the service.
 *
 * @param hold the work before the boot of each system
 * @param keep takes note of each that is open
 * @throws SettingsError when the host has no such back end, or a device is not as the board says
 */
export function openDevices(
  board: Board,
  backends: Backends,
  memory: Memory,
  { log }: Pick<Store, 'log'>,
  hold: { beforeBoot(system: string): Promise<void> },
  keep: Keep
): Devices {
  const open = opener(board, backends, memory, log, keep)
  // First: the machine that the power is of may boot from them.
  const nvram = mapped(
    Object.entries(board.systems).flatMap(([id, { nvram }]) =>
      nvram === undefined ? [] : [[id, open<Nvram>('nvram', id, nvram)] as const]
    )
  )
  const firmware = mapped(
    components(board).flatMap(({ id, version, firmware }) =>
      firmware === undefined ? [] : [[id, open<Firmware>('firmware', id, firmware, { version })] as const]
    )
  )
  const power = mapped(
    Object.entries(board.systems).map(([id, { power }]) => [
      id,
      open<Power>('power', id, power, { beforeBoot: () => hold.beforeBoot(id) })
    ])
  )
  const bios = mapped(
    Object.entries(board.systems).flatMap(([id, { bios }]) =>
      bios === undefined ? [] : [[id, open<BiosSettings>('bios', id, bios)] as const]
    )
  )
  const bootOverrides = mapped(
    Object.entries(board.systems).flatMap(([id, { bootOverride }]) =>
      bootOverride === undefined ? [] : [[id, open<BootOverrides>('bootOverride', id, bootOverride)] as const]
    )
  )
  const consoles = mapped(
    Object.entries(board.systems).flatMap(([id, { console }]) =>
      console === undefined ? [] : [[id, open<Console>('console', id, console, { host: power.get(id) })] as const]
    )
  )
  const postCodes = mapped(
    Object.entries(board.systems).flatMap(([id, { postCodes }]) =>
      postCodes === undefined
        ? []
        : [[id, open<PostCodes>('postCodes', id, postCodes, { host: power.get(id) })] as const]
    )
  )
  const eventLogs = mapped(
    Object.entries(board.systems).flatMap(([id, { eventLog }]) =>
      eventLog === undefined ? [] : [[id, open<EventLog>('eventLog', id, eventLog)] as const]
    )
  )
  const dumps = mapped(
    Object.entries({ Managers: board.managers, Systems: board.systems }).flatMap(([kind, owners]) =>
      Object.entries(owners).flatMap(([id, { dumps }]) =>
        dumps === undefined ? [] : [[`${kind}/${id}`, open<Dumps>('dumps', `${kind}-${id}`, dumps)] as const]
      )
    )
  )
  const watchdogs = mapped(
    Object.entries(board.systems).flatMap(([id, { watchdog }]) =>
      watchdog === undefined ? [] : [[id, open<Watchdog>('watchdog', id, watchdog)] as const]
    )
  )
  const drives = mapped(
    Object.entries(board.systems).flatMap(([system, { drives = {} }]) =>
      Object.entries(drives).map(([id, drive]) => {
        const key = `${system}/${id}`
        return [key, open<Drive>('drive', key.replaceAll('/', '-'), drive)] as const
      })
    )
  )
  const media = mapped(
    Object.entries(board.managers).flatMap(([manager, { virtualMedia }]) =>
      Object.entries(virtualMedia).flatMap(([id, { media }]) =>
        media === undefined ? [] : [[`${manager}/${id}`, open<Media>('media', `${manager}-${id}`, media)] as const]
      )
    )
  )
  const [users] = Object.entries(board.managers).flatMap(([id, { users }]) =>
    users === undefined ? [] : [open<Users>('users', id, users)]
  )
  const [certificates] = Object.entries(board.managers).flatMap(([id, { certificates }]) =>
    certificates === undefined ? [] : [open<Certificates>('certificates', id, certificates)]
  )
  const networks = mapped(
    Object.entries(board.managers).flatMap(([id, { network }]) =>
      network === undefined ? [] : [[id, open<Network>('network', id, network)] as const]
    )
  )
  const ports = mapped(
    Object.entries(board.managers).flatMap(([manager, { ethernetInterfaces }]) =>
      Object.entries(ethernetInterfaces).map(
        ([id, { port }]) => [`${manager}/${id}`, open<Port>('port', `${manager}-${id}`, port)] as const
      )
    )
  )
  const indicators = mapped(
    Object.entries(board.chassis).map(([id, { indicator }]) => [id, open<Indicator>('indicator', id, indicator)])
  )
  const powerLimits = mapped(
    Object.entries(board.chassis).flatMap(([id, { powerLimit }]) =>
      powerLimit === undefined ? [] : [[id, open<PowerLimit>('powerLimit', id, powerLimit)] as const]
    )
  )
  const sensors = mapped(
    Object.entries(board.chassis).map(([id, chassis]) => {
      const host = power.get(chassis.systems[0] ?? '')
      const wired = { sensors: boardSensors(chassis), host, limit: powerLimits.get(id) }
      return [id, open<Sensors>('sensors', id, chassis.sensors, wired)]
    })
  )
  for (const [system, { health }] of nvram) {
    if (health.state !== 'ok') log.error('the variables of the firmware cannot be used', { system, ...health })
  }
  return {
    power,
    bios,
    bootOverrides,
    indicators,
    nvram,
    media,
    sensors,
    powerLimits,
    ports,
    networks,
    firmware,
    consoles,
    postCodes,
    eventLogs,
    dumps,
    watchdogs,
    users,
    certificates,
    drives
  }
}
