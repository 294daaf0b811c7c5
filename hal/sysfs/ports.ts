import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { makeDirectory, replaceFile } from '#runtime/base/files.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { fileError, HalError } from '../errors.ts'
import type { OpenLldp } from '../native/lldp.ts'
import type { Ipv4Address, Ipv6Address, Ipv6State, Port, PortState } from '../ports.ts'
import { linkCounters } from './link-counters.ts'
import { type PortAnswer, readAnswer, settingsText } from './port-settings.ts'
import { known, readText } from './read.ts'

/** The back end `netdev` of a board file, e.g. `{ "type": "netdev", "device": "eth0" }`. */
export interface NetdevOptions {
  readonly name: string
  /** Its name in `folder`. */
  readonly device?: unknown
  /** How often it is looked at, in milliseconds. Default 5 s. */
  readonly interval?: unknown
  /** The folder of the devices. Default `/sys/class/net`. */
  readonly folder?: unknown
  /** The folder of the routes and the IPv6 addresses. Default `/proc/net`. */
  readonly tables?: unknown
  /** The file that names the servers that resolve names. Default `/etc/resolv.conf`. */
  readonly resolver?: unknown
  /** The folder to which its settings are written, for the program with the privilege to carry them out. */
  readonly configure?: unknown
  /** The folder in which that program answers. Default `/run/network`. */
  readonly answers?: unknown
  /** How long it may take to answer, in milliseconds. Default 10 s. */
  readonly timeout?: unknown
  /** Whether this process may open it for frames of LLDP: that takes CAP_NET_RAW. Default false. */
  readonly lldp?: unknown
}

/** {@link NetdevOptions} in a board file. */
export const netdevOptions = {
  type: 'object',
  required: ['device'],
  properties: {
    device: { type: 'string', description: 'Its name in the folder, such as eth0' },
    interval: { type: 'integer', minimum: 1, description: 'Milliseconds between two readings; default 5000' },
    folder: { type: 'string', description: 'Default /sys/class/net' },
    tables: { type: 'string', description: 'The folder of the routes; default /proc/net' },
    resolver: { type: 'string', description: 'The file with the name servers; default /etc/resolv.conf' },
    configure: {
      type: 'string',
      description:
        'The folder to which its settings are written, for the init process of the image. Without it the port is only looked at'
    },
    answers: { type: 'string', description: 'The folder in which the init process answers; default /run/network' },
    timeout: { type: 'integer', minimum: 1, description: 'Milliseconds for an answer; default 10000' },
    lldp: { type: 'boolean', description: 'Clients may enable LLDP: the service needs CAP_NET_RAW; default false' }
  }
} as const

/** Flags of a route, and of an address (Linux, uapi/linux/route.h and if_addr.h). */
const routeGateway = 0x2
const addressFailed = 0x08
const addressDeprecated = 0x20
const addressTentative = 0x40
const addressPermanent = 0x80

/**
 * A network device of the kernel (Linux, Documentation/ABI/testing/sysfs-class-net).
 *
 * @throws {HalError} one sentence: `EINVAL` for options that are wrong, `ENODEV` when there is no such device
 */
export function netdevPort(options: NetdevOptions, openLldp?: OpenLldp): Port {
  const { name, device, interval = 5000, folder = '/sys/class/net', tables = '/proc/net' } = options
  const { resolver = '/etc/resolv.conf', configure, answers = '/run/network', timeout = 10_000 } = options
  const refuse = (reason: string) => new HalError('EINVAL', `${name}: ${reason}`)
  if (typeof folder !== 'string' || typeof tables !== 'string') throw refuse('folder and tables must be folders')
  if (typeof resolver !== 'string') throw refuse('resolver must be a file')
  const isFolder = (each: unknown) => each === undefined || typeof each === 'string'
  if (!isFolder(configure) || typeof answers !== 'string') throw refuse('configure and answers must be folders')
  if (!Number.isInteger(timeout) || (timeout as number) < 1) throw refuse('timeout is in milliseconds')
  if (typeof device !== 'string' || !/^[^/]+$/.test(device)) throw refuse('it needs the name of a device')
  if (!Number.isInteger(interval) || (interval as number) < 1) throw refuse('interval is in milliseconds')
  const answer = () => {
    const text = configure === undefined ? undefined : readText(`${answers}/${device}`)
    return text === undefined ? undefined : readAnswer(text)
  }
  const hasLldp = options.lldp === true && openLldp !== undefined
  const look = (): PortState | undefined => {
    const seen = stateOf(device, folder, tables, resolver, answer())
    return seen && hasLldp ? { ...seen, hasLldp } : seen
  }
  const first = look()
  if (first === undefined) {
    throw new HalError('ENODEV', `${name}: there is no network device ${device}: there is ${known(folder)}`)
  }
  const listeners = new Listeners<PortState>()
  let state = first
  const closing = new Listeners<void>()
  let closed = false
  const refresh = () => {
    let seen: PortState
    try {
      seen = look() ?? { ...state, ...unlinked, ipv4: [], ipv6: [] }
    } catch {
      // This process has no descriptor left to look with: the port is as it was until one is free again.
      return
    }
    if (JSON.stringify(seen) === JSON.stringify(state)) return
    state = seen
    listeners.emit(state)
  }
  const timer = setInterval(refresh, interval as number)
  timer.unref()
  return {
    needsAddresses: configure !== undefined,
    get state() {
      return state
    },
    counters: () => linkCounters(`${folder}/${device}/statistics`),
    async configure(settings, shared) {
      if (configure === undefined) throw refuse('it can only be looked at')
      // One that no earlier text had, also of an earlier process.
      const serial = Date.now() % 2 ** 32
      try {
        makeDirectory(configure as string)
        replaceFile(`${configure}/${device}`, settingsText(serial, settings, shared))
      } catch (error) {
        throw fileError(name, 'configure', error)
      }
      // Not by the clock, which a time server may set meanwhile.
      const end = performance.now() + (timeout as number)
      while (answer()?.serial !== serial) {
        if (performance.now() >= end) throw new HalError('ETIMEDOUT', `${name}: ${device} was not set up in time`)
        if (closed) throw new HalError('ENODEV', `${name}: it was closed before ${device} was set up`)
        await sleep(answerInterval, closing)
      }
      const { result = 0 } = answer() ?? {}
      if (result !== 0) throw new HalError('EIO', `${name}: ${device} is not set up: the kernel says ${result}`)
      refresh()
    },
    ...(hasLldp && { openLldp: (received: (frame: Uint8Array) => void) => openLldp(device, received) }),
    on: (listener) => listeners.add(listener),
    async close() {
      clearInterval(timer)
      closed = true
      closing.emit()
      listeners.clear()
    }
  }
}

/** The state in the kernel of a device that another program sets up. A missing device has no link. */
export function kernelPort(device: string): PortState {
  const nothing = { mac: '00:00:00:00:00:00', ...unlinked, ipv4: [], ipv6: [] }
  try {
    return stateOf(device, '/sys/class/net', '/proc/net', '/etc/resolv.conf', undefined) ?? nothing
  } catch {
    return nothing
  }
}

/** The kernel's counters of a device. */
export const kernelCounters = (device: string) => linkCounters(`/sys/class/net/${device}/statistics`)

/** How often an answer is looked for, in milliseconds. */
const answerInterval = 100

const unlinked = { linkUp: false, speed: undefined, fullDuplex: undefined } as const

/** @throws {Error} when the system cannot be asked now, before any file is read */
function stateOf(
  device: string,
  folder: string,
  tables: string,
  resolver: string,
  answer: PortAnswer | undefined
): PortState | undefined {
  const path = `${folder}/${device}`
  const carrier = answer?.carrier || device
  const addresses = networkInterfaces()[carrier] ?? []
  const mac = readText(`${path}/address`)
  if (mac === undefined) return undefined
  const way = ipv6GatewayOf(carrier, tables)
  // A device that is down refuses its carrier; one without a speed says -1, or refuses it.
  const linkUp = readText(`${path}/carrier`) === '1'
  const speed = Number(readText(`${path}/speed`) ?? -1)
  const duplex = readText(`${path}/duplex`)
  const link = {
    linkUp,
    speed: speed > 0 ? speed : undefined,
    fullDuplex: duplex === 'full' ? true : duplex === 'half' ? false : undefined
  }
  return {
    mac: mac.toUpperCase(),
    ...(linkUp ? link : unlinked),
    ipv4: ipv4Of(addresses, gatewayOf(carrier, tables), answer),
    ipv6: ipv6Of(carrier, tables),
    ...(way !== undefined && { ipv6Gateway: way }),
    nameServers: nameServersOf(readText(resolver) ?? ''),
    ...(answer && { ntpServers: answer.ntpServers, settings: answer.settings })
  }
}

function ipv4Of(
  addresses: readonly NetworkInterfaceInfo[],
  gateway: string | undefined,
  answer: PortAnswer | undefined
): Ipv4Address[] {
  return addresses
    .filter(({ family }) => family === 'IPv4')
    .map(({ address, netmask }) => ({
      address,
      subnetMask: netmask,
      ...(gateway === undefined ? {} : { gateway }),
      ...(answer && { origin: address === answer.lease ? ('DHCP' as const) : ('Static' as const) })
    }))
}

/**
 * Columns: device, destination, gateway, flags and more. Addresses are hex in the order of the processor: on all that this
 * runs on, the last byte first.
 */
function gatewayOf(device: string, tables: string): string | undefined {
  const routes = (readText(`${tables}/route`) ?? '').split('\n').map((line) => line.trim().split(/\s+/))
  const route = routes.find(
    ([name, destination, , flags]) =>
      name === device && destination === '00000000' && (Number.parseInt(flags ?? '', 16) & routeGateway) !== 0
  )
  const bytes = /^(..)(..)(..)(..)$/.exec(route?.[2] ?? '')?.slice(1)
  return bytes
    ?.reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join('.')
}

/** Columns: destination, its prefix, source, its prefix, next hop, metric and more, device. The best metric comes first. */
function ipv6GatewayOf(device: string, tables: string): string | undefined {
  const routes = (readText(`${tables}/ipv6_route`) ?? '').split('\n').map((line) => line.trim().split(/\s+/))
  const isWay = ([destination, length, , , hop = '', , , , , name]: readonly string[]) =>
    name === device && /^0+$/.test(destination ?? '') && length === '00' && /[^0]/.test(hop)
  const hop = routes.find(isWay)?.[4]
  return hop === undefined ? undefined : compressed(hop)
}

/** Columns: address, number of the device, prefix length, scope, flags (all hex), device. */
function ipv6Of(device: string, tables: string): Ipv6Address[] {
  const lines = (readText(`${tables}/if_inet6`) ?? '').split('\n').map((line) => line.trim().split(/\s+/))
  return lines.flatMap(([address = '', , prefix = '', , flags = '', name]) => {
    if (name !== device) return []
    const bits = Number.parseInt(flags, 16)
    const origin = /^fe[89ab]/.test(address) ? 'LinkLocal' : (bits & addressPermanent) !== 0 ? 'Static' : 'SLAAC'
    const prefixLength = Number.parseInt(prefix, 16)
    return [{ address: compressed(address), prefixLength, origin, state: ipv6State(bits) } as const]
  })
}

function ipv6State(flags: number): Ipv6State {
  if ((flags & addressFailed) !== 0) return 'Failed'
  if ((flags & addressTentative) !== 0) return 'Tentative'
  return (flags & addressDeprecated) !== 0 ? 'Deprecated' : 'Preferred'
}

/** The servers that the text of a `resolv.conf` names (Linux, resolv.conf(5)). */
function nameServersOf(text: string): string[] {
  return [...text.matchAll(/^nameserver[ \t]+([\da-fA-F.:]+)/gm)].map(([, address]) => address!)
}

/** The text of an IPv6 address as RFC 5952 wants it. @param digits 32 hex digits */
function compressed(digits: string): string {
  const groups = digits.match(/.{4}/g)!.map((group) => Number.parseInt(group, 16).toString(16))
  const runs = groups.join(':').match(/\b0(:0)+\b/g) ?? []
  const longest = runs.sort((a, b) => b.length - a.length)[0]
  return longest === undefined ? groups.join(':') : groups.join(':').replace(new RegExp(`:?\\b${longest}\\b:?`), '::')
}
