import type { AttributeRegistry } from '#data/bios'
import { type Board, Inventory } from '#data/board'
import type { BootProgress } from '#data/system'
import type { BiosSettings } from '#hal/bios.ts'
import type { BootOverrides } from '#hal/boot-override.ts'
import type { Certificates } from '#hal/certificates.ts'
import type { Console } from '#hal/console.ts'
import type { Drive } from '#hal/drives.ts'
import type { Dumps } from '#hal/dumps.ts'
import type { NumberedEntries } from '#hal/entries.ts'
import type { HalError } from '#hal/errors.ts'
import type { EventLog } from '#hal/event-log.ts'
import type { Firmware } from '#hal/firmware.ts'
import type { Indicator } from '#hal/indicators.ts'
import type { Media } from '#hal/media.ts'
import type { Network } from '#hal/network.ts'
import type { Nvram } from '#hal/nvram.ts'
import type { Port } from '#hal/ports.ts'
import type { PostCodes } from '#hal/post-codes.ts'
import type { Power } from '#hal/power.ts'
import type { PowerLimit } from '#hal/power-limit.ts'
import type { PartCounters, Sensors } from '#hal/sensors.ts'
import type { Users } from '#hal/users.ts'
import type { Watchdog } from '#hal/watchdog.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import type { Log } from '#runtime/base/log.ts'
import { busy, type Command, type Machine, MessageError, message, notFound } from '#runtime/contract'
import type { Documents } from '#runtime/store/documents.ts'
import { pollsOf, readingsOf } from '#runtime/store/revisions.ts'
import type { Store } from '#runtime/store/store.ts'
import { readAttributeRegistry } from './attribute-registry.ts'
import { followBoot } from './boot-progress.ts'

/**
 * The devices of a machine, each by the id of the system or chassis that it belongs to; drives and ports by
 * `<manager>/<id>`, firmware by the id of its component.
 */
export interface Devices {
  readonly power: ReadonlyMap<string, Power>
  /** Of systems whose settings another program holds. */
  readonly bios: ReadonlyMap<string, BiosSettings>
  readonly bootOverrides: ReadonlyMap<string, BootOverrides>
  readonly indicators: ReadonlyMap<string, Indicator>
  readonly nvram: ReadonlyMap<string, Nvram>
  readonly sensors: ReadonlyMap<string, Sensors>
  readonly powerLimits: ReadonlyMap<string, PowerLimit>
  readonly media: ReadonlyMap<string, Media>
  readonly ports: ReadonlyMap<string, Port>
  /** Of managers whose name and clock another program holds. */
  readonly networks: ReadonlyMap<string, Network>
  readonly firmware: ReadonlyMap<string, Firmware>
  readonly consoles: ReadonlyMap<string, Console>
  readonly postCodes: ReadonlyMap<string, PostCodes>
  /** By `<system>/<storage>/<drive>`. */
  readonly drives: ReadonlyMap<string, Drive>
  readonly eventLogs: ReadonlyMap<string, EventLog>
  /** By `Managers/<id>` and `Systems/<id>`. */
  readonly dumps: ReadonlyMap<string, Dumps>
  /** Of systems whose watchdog timer another program runs. */
  readonly watchdogs: ReadonlyMap<string, Watchdog>
  /** The users of the machine; absent where this service has users of its own. */
  readonly users?: Users | undefined
  /** The certificates of the machine; absent where this service has its own. */
  readonly certificates?: Certificates | undefined
}

/** The board and its devices, whose changes move revisions. */
export class Hardware extends Inventory implements Machine {
  readonly #devices: Devices
  readonly #log: Log
  readonly #documents: Documents
  readonly #bootEnds = new Listeners<{ readonly system: string; readonly isFailed: boolean }>()
  readonly #boots = new Map<string, () => BootProgress | undefined>()

  constructor(board: Board, devices: Devices, store: Pick<Store, 'revisions' | 'log'>, documents: Documents) {
    super(board)
    const { revisions } = store
    this.#devices = devices
    this.#log = store.log
    this.#documents = documents
    for (const [id, power] of devices.power) {
      revisions.device(`power/${id}`)
      power.on((event) => {
        if (event.type === 'state') revisions.moved(`power/${id}`)
      })
    }
    for (const [id, console] of devices.consoles) {
      revisions.device(`bootProgress/${id}`)
      const moved = () => revisions.moved(`bootProgress/${id}`)
      const ended = (isFailed: boolean) => this.#bootEnds.emit({ system: id, isFailed })
      this.#boots.set(id, followBoot(device(devices.power, id), console, moved, ended))
    }
    for (const id of devices.nvram.keys()) revisions.device(`nvram/${id}`)
    for (const [id, indicator] of devices.indicators) {
      revisions.device(`indicator/${id}`)
      indicator.on(() => revisions.moved(`indicator/${id}`))
    }
    for (const [id, sensors] of devices.sensors) {
      const [readings, polls] = [readingsOf(id), pollsOf(id)]
      revisions.device(readings)
      revisions.device(polls)
      sensors.on((changed) => {
        if (changed.size > 0) revisions.moved(readings)
        revisions.moved(polls)
      })
    }
    for (const [id, { shared }] of devices.powerLimits) {
      revisions.device(`powerRange/${id}`)
      if (shared !== undefined) shared.on(() => revisions.moved(`powerRange/${id}`))
    }
    for (const [id, firmware] of devices.firmware) {
      revisions.device(`firmware/${id}`)
      firmware.on(() => revisions.moved(`firmware/${id}`))
    }
    const follow = (path: string, entries: NumberedEntries<unknown>) => {
      revisions.device(path)
      let last = knownOf(entries)
      entries.on(() => {
        const now = knownOf(entries)
        if (now !== last) revisions.moved(path)
        last = now
      })
    }
    for (const [id, log] of devices.eventLogs) follow(`eventLog/${id}`, log)
    for (const [id, dumps] of devices.dumps) follow(`dumps/${id}`, dumps)
    for (const [id, port] of devices.ports) {
      revisions.device(`port/${id}`)
      port.on(() => revisions.moved(`port/${id}`))
    }
  }

  power(system: string) {
    return device(this.#devices.power, system).state
  }

  /** Whether nothing goes on with the power of a system: no operation, and none that is to come by itself. */
  isSettled(system: string) {
    const { state, isUnderWay = false } = device(this.#devices.power, system)
    return (state === 'On' || state === 'Off') && !isUnderWay
  }

  hasBreak(system: string) {
    return this.#devices.consoles.get(system)?.sendBreak !== undefined
  }

  noticesPowerLoss(system: string) {
    const { supplyFailed, restore } = device(this.#devices.power, system)
    return supplyFailed !== undefined || restore !== undefined
  }

  watchdog(system: string) {
    if (this.#devices.watchdogs.has(system)) return { warns: false }
    return device(this.#devices.power, system).hasWatchdog ? { warns: true } : undefined
  }

  ownsBios(system: string) {
    return !this.#devices.bios.has(system) && this.system(system).attributeRegistry !== undefined
  }

  bootOverrides(system: string) {
    return this.#devices.bootOverrides.get(system)
  }

  bootProgress(system: string) {
    return this.#boots.get(system)?.()
  }

  indicator(chassis: string) {
    return device(this.#devices.indicators, chassis).state
  }

  port(manager: string, ethernetInterface: string) {
    return device(this.#devices.ports, `${manager}/${ethernetInterface}`).state
  }

  setsClock(manager: string) {
    return this.#devices.networks.has(manager)
  }

  portCounters(manager: string, ethernetInterface: string) {
    return device(this.#devices.ports, `${manager}/${ethernetInterface}`).counters()
  }

  firmware(component: string) {
    return this.#devices.firmware.get(component)?.state
  }

  nvram(system: string) {
    const nvram = this.#devices.nvram.get(system)
    return nvram && { health: nvram.health, space: nvram.space }
  }

  variable(system: string, name: string, guid: string) {
    return this.#devices.nvram.get(system)?.get(name, guid)
  }

  variables(system: string, guid: string) {
    const names = this.#devices.nvram.get(system)?.list() ?? []
    return names.flatMap((each) => (each.guid === guid ? each.name : []))
  }

  reading(chassis: string, sensor: number) {
    return device(this.#devices.sensors, chassis).read(sensor)
  }

  counts(chassis: string, kind: keyof PartCounters, part: string) {
    return device(this.#devices.sensors, chassis).counts?.(kind, part) ?? false
  }

  counters<K extends keyof PartCounters>(chassis: string, kind: K, part: string) {
    return device(this.#devices.sensors, chassis).counters?.(kind, part)
  }

  eventLog(system: string) {
    return knownOf(device(this.#devices.eventLogs, system))
  }

  dumps(owner: string) {
    return knownOf(device(this.#devices.dumps, owner))
  }

  powerRange(chassis: string) {
    return this.#devices.powerLimits.get(chassis)?.range
  }

  attributeRegistry(system: string): AttributeRegistry {
    const { attributeRegistry: id } = this.system(system)
    const bios = this.#devices.bios.get(system)
    const isUntold = bios !== undefined && bios.state === undefined
    return id === undefined || isUntold ? notFound() : readAttributeRegistry(this.#documents, id)
  }

  /** Calls `listener` when a host starts an operating system, or found none; the function returned ends that. */
  onBootEnd(listener: (end: { readonly system: string; readonly isFailed: boolean }) => void): () => void {
    return this.#bootEnds.add(listener)
  }

  /** Calls back when the controller's own power is cycled. */
  onAuxCycle(listener: () => void): void {
    for (const power of this.#devices.power.values()) {
      power.on((event) => {
        if (event.type === 'auxCycle') listener()
      })
    }
  }

  /** Has the program that holds the clock of a manager set it; undefined without one. @param time milliseconds since 1970 */
  setClock(manager: string, time: number): Promise<void> | undefined {
    return this.#devices.networks.get(manager)?.setClock(time)
  }

  /**
   * Tells a device what to do.
   *
   * @throws MessageError 409 when it makes no sense in the present state, 503 when the device is busy or fails
   */
  async perform(command: Command<'power' | 'indicator' | 'limitPower' | 'sendBreak'>): Promise<void> {
    try {
      if (command.kind === 'power') await device(this.#devices.power, command.system).perform(command.operation)
      else if (command.kind === 'indicator') await device(this.#devices.indicators, command.chassis).set(command.state)
      else if (command.kind === 'sendBreak') await device(this.#devices.consoles, command.system).sendBreak?.()
      else await device(this.#devices.powerLimits, command.chassis).set(command.watts ?? undefined)
    } catch (error) {
      throw explain(error as HalError, command, this.#log)
    }
  }
}

function knownOf({ entries, isAvailable }: NumberedEntries<unknown>) {
  return entries === undefined ? 'unknown' : isAvailable ? 'current' : 'last'
}

function device<T>(devices: ReadonlyMap<string, T>, id: string): T {
  const found = devices.get(id)
  if (found === undefined) throw new RangeError(`no device for ${id}`)
  return found
}

/** Milliseconds after which a busy device may be free, if it does not say. */
const busyTime = 5000

/** Seconds after which a client may try again, by what failed. */
const retryAfter: Readonly<Record<string, number>> = {
  ETIMEDOUT: 15,
  EIO: 30,
  ENODEV: 60,
  ENOSPC: 60,
  EROFS: 60,
  EACCES: 60
}

/** The message for a client about a device that failed, or is busy. @param command for the log */
export function explain(error: HalError, command: object, log: Log): unknown {
  if (error.code === 'EINVAL') return new MessageError(409, [message('Mgmt.InvalidOperationForSystemState')])
  if (error.code === 'EBUSY') return busy(Math.max(1, Math.ceil((error.left ?? busyTime) / 1000)))
  const seconds = retryAfter[error.code]
  if (seconds === undefined) return error
  log.error('a device failed', { command, code: error.code, cause: error.message })
  const headers = { 'Retry-After': String(seconds) }
  const messages = [
    message('Base.ServiceTemporarilyUnavailable', String(seconds)),
    message('Mgmt.DeviceFailed', error.message)
  ]
  return new MessageError(503, messages, headers)
}
