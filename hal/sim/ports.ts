import { Listeners } from '../listeners.ts'
import type { Port, PortState } from '../ports.ts'

/** Plain JSON: what the port is like. Default a link of 1 Gbit/s, without an address. */
export interface SimPortOptions {
  readonly name?: string | undefined
  readonly mac?: PortState['mac'] | undefined
  readonly speed?: number | undefined
  readonly ipv4?: PortState['ipv4'] | undefined
  readonly ipv6?: PortState['ipv6'] | undefined
}

export interface SimPort extends Port {
  /** Pulls the cable out, or puts it in. */
  plug(linkUp: boolean): void
}

/** A simulated port. It keeps its addresses without a link. */
export function simPort(options: SimPortOptions = {}): SimPort {
  const { mac = '02:00:00:00:00:01', speed = 1000, ipv4 = [], ipv6 = [] } = options
  const listeners = new Listeners<PortState>()
  const stateOf = (linkUp: boolean): PortState => ({
    mac,
    linkUp,
    speed: linkUp ? speed : undefined,
    fullDuplex: linkUp ? true : undefined,
    ipv4,
    ipv6
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
