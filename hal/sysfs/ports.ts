import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { HalError } from '../errors.ts'
import { Listeners } from '../listeners.ts'
import type { Ipv4Address, Ipv6Address, Ipv6State, Port, PortState } from '../ports.ts'
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
}

/** {@link NetdevOptions} in a board file. */
export const netdevOptions = {
  type: 'object',
  required: ['device'],
  properties: {
    device: { type: 'string', description: 'Its name in the folder, such as eth0' },
    interval: { type: 'integer', minimum: 1, description: 'Milliseconds between two looks at it; default 5000' },
    folder: { type: 'string', description: 'Default /sys/class/net' },
    tables: { type: 'string', description: 'The folder of the routes; default /proc/net' },
    resolver: { type: 'string', description: 'The file with the name servers; default /etc/resolv.conf' }
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
export function netdevPort(options: NetdevOptions): Port {
  const { name, device, interval = 5000, folder = '/sys/class/net', tables = '/proc/net' } = options
  const { resolver = '/etc/resolv.conf' } = options
  const refuse = (reason: string) => new HalError('EINVAL', `${name}: ${reason}`)
  if (typeof folder !== 'string' || typeof tables !== 'string') throw refuse('folder and tables must be folders')
  if (typeof resolver !== 'string') throw refuse('resolver must be a file')
  if (typeof device !== 'string' || !/^[^/]+$/.test(device)) throw refuse('it needs the name of a device')
  if (!Number.isInteger(interval) || (interval as number) < 1) throw refuse('interval is in milliseconds')
  const look = () => stateOf(device, `${folder}/${device}`, tables, resolver)
  const first = look()
  if (first === undefined) {
    throw new HalError('ENODEV', `${name}: there is no network device ${device}: there is ${known(folder)}`)
  }
  const listeners = new Listeners<PortState>()
  let state = first
  const timer = setInterval(() => {
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
  }, interval as number)
  timer.unref()
  return {
    get state() {
      return state
    },
    on: (listener) => listeners.add(listener),
    async close() {
      clearInterval(timer)
      listeners.clear()
    }
  }
}

const unlinked = { linkUp: false, speed: undefined, fullDuplex: undefined } as const

/** @throws {Error} when the system cannot be asked now, before any file is read */
function stateOf(device: string, path: string, tables: string, resolver: string): PortState | undefined {
  const addresses = networkInterfaces()[device] ?? []
  const mac = readText(`${path}/address`)
  if (mac === undefined) return undefined
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
    ipv4: ipv4Of(addresses, gatewayOf(device, tables)),
    ipv6: ipv6Of(device, tables),
    nameServers: nameServersOf(readText(resolver) ?? '')
  }
}

function ipv4Of(addresses: readonly NetworkInterfaceInfo[], gateway: string | undefined): Ipv4Address[] {
  return addresses
    .filter(({ family }) => family === 'IPv4')
    .map(({ address, netmask }) => ({
      address,
      subnetMask: netmask,
      ...(gateway === undefined ? {} : { gateway })
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
