import { Listeners } from '#runtime/base/listeners.ts'
import type { Answer, Call } from '../dbus/bus.ts'
import type { OpenChannel } from '../dbus/channel.ts'
import { Mirror, type MirrorOptions, type Properties } from '../dbus/mirror.ts'
import { callPassing } from '../dbus/pass.ts'
import type { Value, Variant } from '../dbus/values.ts'
import { HalError } from '../errors.ts'
import { mapper } from './mapper.ts'

/** The bus to which the daemons of OpenBMC are connected, in options of each device. */
export interface BusOptions {
  readonly name: string
  /** The path of the socket of the bus. Default `/run/dbus/system_bus_socket`. */
  readonly socket?: string | undefined
  readonly warn: (text: string) => void
}

/** {@link BusOptions} in a board file. */
export const busOptions = {
  socket: { type: 'string', description: 'The socket of the bus. Default /run/dbus/system_bus_socket' }
} as const

/** A device of one host, in options of each. */
export interface HostOptions extends BusOptions {
  /** The number of the host: 0 for `host0`. Default 0. */
  readonly host?: number | undefined
}

/** {@link HostOptions} in a board file. */
export const hostOptions = {
  type: 'object',
  properties: {
    host: { type: 'integer', minimum: 0, description: 'The number of the host; default 0' },
    ...busOptions
  }
} as const

/** Milliseconds until a value that a daemon accepted is in the mirror, at most. */
const patience = 1000

const defaultSocket = '/run/dbus/system_bus_socket'

/** The objects of OpenBMC's daemons, as one device uses them. Reading makes no call on the bus. */
export interface Objects {
  /** Resolves when the daemons that are there have been read, or the attempt has failed. */
  readonly settled: Promise<void>
  /** The properties of an interface of an object; undefined where there is no such interface, or its daemon is away. */
  properties(path: string, name: string): Properties | undefined
  /** Likewise, as they were last while the daemon is away. */
  known(path: string, name: string): Properties | undefined
  /** Calls back with the paths of objects that have changed, or have become available or unavailable. */
  on(listener: (changed: ReadonlySet<string>) => void): void
  /** Calls back with each value of a property that a signal reports, also one that the next replaces at once. */
  onValue(path: string, name: string, property: string, listener: (value: Value) => void): void
  /**
   * Resolves when the daemon has accepted the value.
   *
   * @throws {HalError} `ENODEV` where there is no such interface; others as `Bus.call`
   */
  set(path: string, name: string, property: string, value: Variant): Promise<void>
  /** Resolves when a condition holds after changes of an object; after a second in any case. */
  until(path: string, condition: () => boolean): Promise<void>
  /** The paths of the objects that have an interface, also of those whose daemon is away. */
  paths(name: string): string[]
  /** Calls a method; without a signature it has no arguments. @throws {HalError} likewise */
  call(
    path: string,
    name: string,
    member: string,
    signature?: string,
    values?: readonly Value[]
  ): Promise<readonly Value[]>
  /**
   * Likewise, on a connection of its own that passes descriptors: those that are given stay open here, and those of the
   * answer are the caller's own, to close.
   */
  callPassing(
    path: string,
    name: string,
    member: string,
    call: Pick<Call, 'signature' | 'values' | 'descriptors' | 'answer' | 'timeout'>
  ): Promise<Answer>
  /** No listener is called any more. */
  close(): void
}

/**
 * Devices of one bus share a connection and a mirror.
 *
 * @param interfaces those that any device uses
 * @param condenses large properties of which a part is kept
 */
export function sharedObjects(
  interfaces: readonly string[],
  openChannel: OpenChannel,
  condenses?: MirrorOptions['condenses']
) {
  const mirrors = new Map<string, { mirror: Mirror; devices: number }>()
  const wanted = new Set(interfaces)
  return ({ name, socket = defaultSocket, warn }: BusOptions): Objects => {
    const shared = mirrors.get(socket) ?? {
      mirror: new Mirror({ socket, directory: mapper(interfaces), keeps: (each) => wanted.has(each), condenses, warn }),
      devices: 0
    }
    const { mirror } = shared
    mirrors.set(socket, shared)
    shared.devices += 1
    const ends: (() => void)[] = []
    const ending = new Listeners<void>()
    let isClosed = false
    /** @throws {HalError} `ENODEV` without such a service */
    const owner = (path: string, interfaceOf: string): string => {
      const found = mirror.owner(path, interfaceOf)
      if (!isClosed && found !== undefined) return found
      const reason = isClosed ? 'the device is closed' : `the bus has no ${interfaceOf} at ${path}`
      throw new HalError('ENODEV', `${name}: ${reason}`)
    }
    const call = async (
      path: string,
      interfaceOf: string,
      call: { interface: string; member: string },
      more: object = {}
    ) => mirror.call({ destination: owner(path, interfaceOf), path, ...call, ...more })
    return {
      settled: mirror.settled,
      properties: (path, each) => mirror.properties(path, each),
      known: (path, each) => mirror.known(path, each),
      on(listener) {
        ends.push(mirror.on(listener))
      },
      onValue(path, each, property, listener) {
        const told = mirror.told.add((told) => {
          const value = told.path === path && told.name === each ? told.properties.get(property) : undefined
          if (value !== undefined) listener(value)
        })
        ends.push(told)
      },
      async set(path, each, property, value) {
        const values = [each, property, value]
        const setter = { interface: 'org.freedesktop.DBus.Properties', member: 'Set' }
        await call(path, each, setter, { signature: 'ssv', values })
      },
      until: (path, condition) =>
        new Promise((resolve) => {
          const end = () => {
            clearTimeout(late)
            stop()
            resolve()
          }
          const late = setTimeout(end, patience)
          const stop = mirror.on((changed) => changed.has(path) && condition() && end())
          if (condition()) end()
        }),
      paths: (each) => mirror.paths(each),
      call: (path, each, member, signature, values) =>
        call(path, each, { interface: each, member }, signature === undefined ? {} : { signature, values }),
      async callPassing(path, each, member, call) {
        const fields = { destination: owner(path, each), path, interface: each, member, ...call }
        return callPassing(openChannel, socket, fields, ending)
      },
      close() {
        if (isClosed) return
        isClosed = true
        for (const end of ends) end()
        ending.emit()
        shared.devices -= 1
        if (shared.devices > 0) return
        mirrors.delete(socket)
        mirror.close()
      }
    }
  }
}

/** The end of the value of an enumeration: `Running` of `xyz.openbmc_project.State.Host.HostState.Running`. */
export function wordOf(value: Value | undefined): string | undefined {
  return typeof value === 'string' ? value.slice(value.lastIndexOf('.') + 1) : undefined
}
