import { HalError } from '../errors.ts'
import { Listeners } from '../listeners.ts'
import type { Port, PortState } from '../ports.ts'

/** Plain JSON: what the port is like. Default a link of 1 Gbit/s, without an address. */
export interface SimPortOptions {
  readonly name?: string | undefined
  readonly mac?: PortState['mac'] | undefined
  readonly speed?: number | undefined
  readonly ipv4?: PortState['ipv4'] | undefined
  readonly ipv6?: PortState['ipv6'] | undefined
  readonly nameServers?: PortState['nameServers'] | undefined
}

const address = { type: 'string' } as const

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
    nameServers: { type: 'array', items: address }
  }
} as const

export interface SimPort extends Port {
  /** Pulls the cable out, or puts it in. */
  plug(linkUp: boolean): void
}

/**
 * A simulated port. It keeps its addresses without a link.
 *
 * @throws {HalError} `EINVAL` for options of which no port can be made
 */
export function simPort(options: SimPortOptions = {}): SimPort {
  const { name = 'port', mac = '02:00:00:00:00:01', speed = 1000, ipv4 = [], ipv6 = [], nameServers = [] } = options
  const refuse = (reason: string) => new HalError('EINVAL', `${name}: ${reason}`)
  if (!/^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/.test(mac)) throw refuse(`${mac} is not a MAC address`)
  if (!(speed > 0)) throw refuse('speed is in Mbit/s')
  if (![ipv4, ipv6].every(isAddresses)) throw refuse('ipv4 and ipv6 are lists of addresses')
  const listeners = new Listeners<PortState>()
  const stateOf = (linkUp: boolean): PortState => ({
    mac,
    linkUp,
    speed: linkUp ? speed : undefined,
    fullDuplex: linkUp ? true : undefined,
    ipv4,
    ipv6,
    nameServers
  })
  let state = stateOf(true)
  return {
    get state() {
      return state
    },
    plug(linkUp) {
      if (linkUp === state.linkUp) return
      state = stateOf(linkUp)
      listeners.emit(state)
    },
    on: (listener) => listeners.add(listener),
    async close() {
      listeners.clear()
    }
  }
}

function isAddresses(list: unknown): boolean {
  return (
    Array.isArray(list) && list.every((each) => typeof (each as { address?: unknown } | null)?.address === 'string')
  )
}
