import { type Backend, type Board, boardFaults } from '#data/board'
import { SettingsError } from '#data/configuration'
import { type DeviceOptions, deviceKinds } from '#data/fleet'
import { type Backends, startsPrograms } from '#runtime/service/machine/devices.ts'
import type { Devices } from '#runtime/service/machine/machine.ts'
import { mapped } from './identity.ts'
import type { Reach } from './plan.ts'

/** The board of a group's controllers, with options of devices over those of its file. */
export class Boards {
  readonly #board: Board
  readonly #backends: Backends
  readonly #devices: DeviceOptions
  /** With the options of the group: most of its controllers have no others. */
  readonly #common: Board

  /** @throws SettingsError for a board, or options, of which there cannot be many controllers */
  constructor({ path, group }: Pick<Reach, 'path' | 'group'>, board: Board, backends: Backends) {
    const devices = group.devices ?? {}
    this.#board = board
    this.#backends = backends
    this.#devices = devices
    this.#common = withOptions(board, devices)
    const fault = this.fault(devices)
    if (fault !== undefined) throw new SettingsError(`${path}.${fault}`)
    const { disk = '' } = group.machine ?? {}
    if (group.count > 1 && disk.startsWith('/'))
      throw new SettingsError(
        `${path}.machine.disk: all ${group.count} controllers would write ${disk}: give a relative path`
      )
  }

  /** The options of the group, with those of one of its controllers over them. */
  options(own: DeviceOptions = {}): DeviceOptions {
    return Object.keys(own).length === 0 ? this.#devices : overlaid(this.#devices, own)
  }

  /** Whether their machines run programs, beside the service. */
  get areVirtual(): boolean {
    return startsPrograms(this.#board, this.#backends)
  }

  with(devices: DeviceOptions): Board {
    return devices === this.#devices ? this.#common : withOptions(this.#board, devices)
  }

  /** The first thing that is wrong with options. */
  fault(devices: DeviceOptions): string | undefined {
    const board = this.with(devices)
    const [fault] = boardFaults(board, this.#backends)
    if (fault !== undefined) return `devices: ${fault}`
    const real = realDevice(board)
    return (
      real &&
      `board ${board.name}: a fleet is of simulated and virtual machines, and this one has a device ${real.type}`
    )
  }
}

/** Options of devices, with others over them. */
export function overlaid(under: DeviceOptions, over: DeviceOptions): DeviceOptions {
  const kinds = deviceKinds.filter((kind) => under[kind] ?? over[kind])
  return Object.fromEntries(kinds.map((kind) => [kind, { ...under[kind], ...over[kind] }]))
}

/** Has the devices that are open have these faults, and no others, where the options say which. Settles with their effect. */
export async function setFaults(devices: Devices, options: DeviceOptions): Promise<void> {
  const { power, firmware, indicators: indicator, sensors, ports: port } = devices
  const all: Readonly<Record<(typeof deviceKinds)[number], ReadonlyMap<string, object>>> = {
    ...{ power, firmware, indicator, sensors, port }
  }
  for (const kind of deviceKinds) {
    if (options[kind] === undefined) continue
    for (const device of all[kind].values())
      if (isSimulated(device)) replace(device.faults, (options[kind].faults ?? {}) as object)
  }
  if (options.sensors === undefined) return
  // Readings that freeze are those of this moment, not of the next poll, which reports a failure.
  await Promise.allSettled(Array.from(sensors.values(), (each) => each.poll()))
}

/** Simulated devices look at their faults when an operation is asked for. */
function isSimulated(device: object): device is { readonly faults: Record<string, unknown> } {
  return 'faults' in device
}

function replace(faults: Record<string, unknown>, others: object): void {
  for (const name of Object.keys(faults)) delete faults[name]
  Object.assign(faults, others)
}

/** A device that is neither simulated nor a virtual machine's own; undefined if all are. */
function realDevice({ systems, chassis, managers }: Board): Backend | undefined {
  const isOwn = ({ path }: Backend) => typeof path === 'string' && !path.startsWith('/')
  const devices = [
    ...Object.values(systems).flatMap(({ power, nvram = power, firmware = nvram }) =>
      power.type === 'qemu' ? [nvram, firmware].filter((each) => each !== power && !isOwn(each)) : [power, nvram]
    ),
    ...Object.values(chassis).flatMap(({ indicator, sensors, powerLimit = sensors }) => [
      indicator,
      sensors,
      powerLimit
    ]),
    ...Object.values(managers).flatMap(({ ethernetInterfaces }) =>
      Object.values(ethernetInterfaces).map(({ port }) => port)
    )
  ]
  return devices.find(({ type }) => type !== 'sim')
}

function withOptions(board: Board, devices: DeviceOptions): Board {
  const over = (kind: keyof typeof devices, own: Backend): Backend => ({ ...own, ...devices[kind] })
  return {
    ...board,
    systems: mapped(board.systems, (each) => ({
      ...each,
      power: over('power', each.power),
      ...(each.firmware && { firmware: over('firmware', each.firmware) })
    })),
    chassis: mapped(board.chassis, (each) => ({
      ...each,
      indicator: over('indicator', each.indicator),
      sensors: over('sensors', each.sensors)
    })),
    managers: mapped(board.managers, (each) => ({
      ...each,
      ...(each.firmware && { firmware: over('firmware', each.firmware) }),
      ethernetInterfaces: mapped(each.ethernetInterfaces, ({ port: own, ...rest }) => ({
        ...rest,
        port: over('port', own)
      }))
    }))
  }
}
