import { Listeners } from '#runtime/base/listeners.ts'
import { HalError } from '../errors.ts'
import { lldpFrame } from '../lldp/frame.ts'
import type { Ipv4Address, LldpLink, Port, PortSettings, PortState } from '../ports.ts'
import { type Faults, Gate, simOptions } from './faults.ts'

/** Plain JSON: what the port is like. Default a link of 1 Gbit/s, without an address. */
export interface SimPortOptions {
  readonly name?: string | undefined
  readonly mac?: PortState['mac'] | undefined
  readonly speed?: number | undefined
  readonly ipv4?: PortState['ipv4'] | undefined
  readonly ipv6?: PortState['ipv6'] | undefined
  readonly nameServers?: readonly string[] | undefined
  /** Lease of the network's DHCP server. Without it, and without an address from DHCP above, no answer arrives. */
  readonly lease?: Lease | undefined
  /** The network has a DHCPv6 server that tells this, and no addresses. */
  readonly information?: Servers | undefined
  /** The network has a router that advertises this prefix: four groups, `2001:db8:0:1`. */
  readonly prefix?: string | undefined
  /** The switch at the other end of the cable, which speaks LLDP. */
  readonly neighbour?: Neighbour | undefined
  readonly faults?: Faults | undefined
  readonly timeout?: number | undefined
}

interface Neighbour {
  readonly mac: string
  readonly port: string
  readonly name: string
}

interface Servers {
  readonly nameServers?: readonly string[] | undefined
  readonly ntpServers?: readonly string[] | undefined
}

interface Lease extends Servers {
  readonly address: string
  readonly subnetMask: string
  readonly gateway?: string | undefined
}

const address = { type: 'string' } as const
const servers = {
  nameServers: { type: 'array', items: address },
  ntpServers: { type: 'array', items: address }
} as const

/** {@link SimPortOptions} in a board file. */
export const simPortOptions = {
  type: 'object',
  properties: {
    mac: { type: 'string', description: 'Six pairs of hex digits, upper case, with colons' },
    speed: { type: 'number', minimum: 1, description: 'Mbit/s; default 1000' },
    ipv4: {
      type: 'array',
      items: {
        type: 'object',
        required: ['address', 'subnetMask'],
        properties: {
          address,
          subnetMask: address,
          gateway: address,
          origin: { type: 'string', enum: ['Static', 'DHCP'] }
        }
      }
    },
    ipv6: {
      type: 'array',
      items: {
        type: 'object',
        required: ['address', 'prefixLength', 'origin'],
        properties: {
          address,
          prefixLength: { type: 'integer', minimum: 0, maximum: 128 },
          origin: { type: 'string', enum: ['Static', 'LinkLocal', 'SLAAC'] },
          state: { type: 'string', enum: ['Preferred', 'Deprecated', 'Tentative', 'Failed'] }
        }
      }
    },
    nameServers: { type: 'array', items: address },
    lease: {
      type: 'object',
      required: ['address', 'subnetMask'],
      properties: {
        address,
        subnetMask: address,
        gateway: address,
        ...servers
      },
      description: 'Lease of the DHCP server; by default there is no server, unless an address above is from DHCP'
    },
    information: {
      type: 'object',
      properties: servers,
      description: 'Answer of the DHCPv6 server; by default there is no server'
    },
    prefix: {
      type: 'string',
      pattern: '^[0-9a-f]{1,4}(:[0-9a-f]{1,4}){3}$',
      description: 'The four groups that the router of its network advertises, such as 2001:db8:0:1'
    },
    neighbour: {
      type: 'object',
      required: ['mac', 'port', 'name'],
      properties: { mac: { type: 'string' }, port: { type: 'string' }, name: { type: 'string' } },
      description: 'The switch at the other end of its cable, which speaks LLDP; by default it does not'
    },
    ...simOptions({})
  }
} as const

export interface SimPort extends Port {
  readonly faults: Faults
  /** Pulls the cable out, or puts it in. */
  plug(linkUp: boolean): void
  /** Has the DHCP server give it another address, which takes the place of all that it has. */
  renew(address: string): void
}

/** After how many milliseconds a port that does not answer is given up, where the board does not say. */
const defaultTimeout = 5000

/**
 * A simulated port, in a network with the servers that its options name. Without a link it keeps its addresses. It forgets
 * how it was set up when it is closed.
 *
 * @throws {HalError} `EINVAL` for options of which no port can be made
 */
export function simPort(options: SimPortOptions = {}): SimPort {
  const { name = 'port', mac = '02:00:00:00:00:01', speed = 1000, ipv4 = [], ipv6 = [], nameServers = [] } = options
  const refuse = (reason: string) => new HalError('EINVAL', `${name}: ${reason}`)
  if (!/^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/.test(mac)) throw refuse(`${mac} is not a MAC address`)
  if (!(speed > 0)) throw refuse('speed is in Mbit/s')
  if (![ipv4, ipv6].every(isAddresses)) throw refuse('ipv4 and ipv6 are lists of addresses')
  const faults = { ...options.faults }
  const gate = new Gate(name, faults, options.timeout ?? defaultTimeout)
  const leased = ipv4.find(({ origin }) => origin === 'DHCP')
  let lease: Lease | undefined = options.lease ?? (leased && { ...leased, nameServers })
  const listeners = new Listeners<PortState>()
  let plugged = true
  let settings = firstSettings(options)
  /** A monitor asks it a few times a second, from then on. */
  const opened = performance.now()
  let state: PortState = { ...link(), ipv4, ipv6, nameServers, settings, hasLldp: true }

  function link() {
    const linkUp = plugged && settings.enabled
    return { mac, linkUp, speed: linkUp ? speed : undefined, fullDuplex: linkUp ? true : undefined }
  }
  function move(to: PortState) {
    state = to
    listeners.emit(state)
  }
  return {
    faults,
    needsAddresses: false,
    get state() {
      return state
    },
    counters() {
      const seconds = Math.floor((performance.now() - opened) / 1000)
      return {
        ...{ receivedBytes: seconds * 1800, receivedFrames: seconds * 9, receivedErrors: 0, receivedDiscards: 0 },
        ...{ sentBytes: seconds * 5400, sentFrames: seconds * 7, sentErrors: 0, sentDiscards: 0 }
      }
    },
    plug(linkUp) {
      if (linkUp === plugged) return
      plugged = linkUp
      move({ ...state, ...link() })
    },
    renew(address) {
      const subnetMask = lease?.subnetMask ?? ipv4[0]?.subnetMask ?? '255.255.255.255'
      lease = { ...lease, address, subnetMask }
      settings = { ...settings, ipv4: [], ipv6: [], dhcpv4: { ...settings.dhcpv4, enabled: true } }
      move({ ...state, ipv4: [{ address, subnetMask, origin: 'DHCP' }], ipv6: [], settings })
    },
    async configure(wanted) {
      await gate.accept('configure')
      settings = wanted
      move({ ...link(), ...addresses(wanted, lease, options), settings, hasLldp: true })
    },
    openLldp: (received) => simLldp(options.neighbour, () => state.linkUp, received),
    on: (listener) => listeners.add(listener),
    async close() {
      gate.close()
      listeners.clear()
    }
  }
}

/** The neighbour answers each frame with one of its own. */
function simLldp(
  neighbour: Neighbour | undefined,
  isLinked: () => boolean,
  received: (frame: Uint8Array) => void
): LldpLink {
  let closed = false
  return {
    send() {
      if (neighbour === undefined) return
      const { mac, port, name } = neighbour
      const frame = lldpFrame(mac, {
        chassisId: { kind: 'mac', value: mac },
        portId: { kind: 'interfaceName', value: port },
        ttl: 120,
        systemName: name,
        capabilities: { able: ['bridge', 'router'], enabled: ['bridge'] },
        managementAddresses: []
      })
      queueMicrotask(() => {
        if (!closed && isLinked()) received(frame)
      })
    },
    close() {
      closed = true
    }
  }
}

/** Those that the options show. */
function firstSettings({ ipv4 = [], ipv6 = [], nameServers = [] }: SimPortOptions): PortSettings {
  const fixed = ipv4.filter(({ origin }) => origin !== 'DHCP')
  const enabled = ipv4.some(({ origin }) => origin === 'DHCP')
  return {
    enabled: true,
    mtu: 1500,
    vlan: { enabled: false, id: 1, priority: 0 },
    ipv4: fixed.map(({ address, subnetMask }) => ({ address, subnetMask })),
    gateway: fixed.find(({ gateway }) => gateway !== undefined)?.gateway ?? null,
    dhcpv4: { enabled, useDns: true, useDomain: true, useGateway: true, useNtp: true },
    ipv6: ipv6
      .filter(({ origin }) => origin === 'Static')
      .map(({ address, prefixLength }) => ({ address, prefixLength })),
    ipv6Gateway: null,
    dhcpv6: { enabled: false, useDns: true, useDomain: true, useNtp: true },
    slaac: true,
    nameServers: enabled ? [] : nameServers
  }
}

type Addresses = Pick<PortState, 'ipv4' | 'ipv6' | 'ipv6Gateway' | 'nameServers' | 'ntpServers'>

/** The addresses of a port that is set up so. */
function addresses(
  settings: PortSettings,
  lease: Lease | undefined,
  { ipv6 = [], prefix, mac, information }: SimPortOptions
): Addresses {
  const { enabled, gateway, dhcpv4, ipv6Gateway, dhcpv6, slaac, nameServers } = settings
  if (!enabled) return { ipv4: [], ipv6: [], nameServers: [], ntpServers: [] }
  const given = dhcpv4.enabled ? lease : undefined
  const told = dhcpv6.enabled ? information : undefined
  const fixed = settings.ipv4.map((each): Ipv4Address => ({ ...each, ...(gateway && { gateway }), origin: 'Static' }))
  const way = gateway ?? (dhcpv4.useGateway ? given?.gateway : undefined)
  const dynamic = given && { address: given.address, subnetMask: given.subnetMask, origin: 'DHCP' as const }
  const preferred = { state: 'Preferred' } as const
  const way6 = ipv6Gateway ?? (slaac && prefix !== undefined ? 'fe80::1' : undefined)
  return {
    ipv4: [...fixed, ...(dynamic === undefined ? [] : [{ ...dynamic, ...(way && { gateway: way }) }])],
    ipv6: [
      ...ipv6.filter(({ origin }) => origin === 'LinkLocal' || (origin === 'SLAAC' && slaac && prefix === undefined)),
      ...settings.ipv6.map((each) => ({ ...each, origin: 'Static' as const, ...preferred })),
      ...(slaac && prefix
        ? [{ address: `${prefix}:${eui64(mac)}`, prefixLength: 64, origin: 'SLAAC' as const, ...preferred }]
        : [])
    ],
    ...(way6 !== undefined && { ipv6Gateway: way6 }),
    nameServers: [
      ...nameServers,
      ...((dhcpv4.useDns && given?.nameServers) || []),
      ...((dhcpv6.useDns && told?.nameServers) || [])
    ],
    ntpServers: [...((dhcpv4.useNtp && given?.ntpServers) || []), ...((dhcpv6.useNtp && told?.ntpServers) || [])]
  }
}

/** The lower half of an address that is made from a MAC address (RFC 4291, appendix A). */
function eui64(mac = '02:00:00:00:00:01'): string {
  const [a = 0, ...rest] = mac.split(':').map((pair) => Number.parseInt(pair, 16))
  const bytes = [a ^ 2, ...rest.slice(0, 2), 0xff, 0xfe, ...rest.slice(2)]
  return [0, 2, 4, 6].map((at) => (bytes[at]! * 256 + bytes[at + 1]!).toString(16)).join(':')
}

function isAddresses(list: unknown): boolean {
  return (
    Array.isArray(list) && list.every((each) => typeof (each as { address?: unknown } | null)?.address === 'string')
  )
}
