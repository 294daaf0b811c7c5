import { SettingsError } from '#data/configuration'
import type { Group } from '#data/fleet'
import { type Address, addressText, firstAddress, parseAddress } from './addresses.ts'

/** Where the controllers of a group are reached. */
export interface Reach {
  readonly group: Group
  /** The path of the group in the file. */
  readonly path: string
  /** Of the group, in metrics. */
  readonly name: string
  /** The number of its first controller. */
  readonly first: number
  /** Of the first controller, where each has one of its own; else of all. */
  readonly port: number
  /** The address of the first controller, where each has one of its own. */
  readonly network: Address | undefined
  /** Address to listen on; undefined if the controllers have a network, and listen on theirs only. */
  readonly address: string | undefined
}

/**
 * Where all controllers of a fleet are reached.
 *
 * @param part how many fleets like this one have their numbers before its own
 * @throws SettingsError when two groups are in each other's way, or ports or addresses run out
 */
export function planReach(groups: readonly Group[], part = 0): readonly Reach[] {
  const reaches: Reach[] = []
  /** How many addresses of the networks of racks are taken. */
  const taken = new Map<string, number>()
  let first = 1 + part * groups.reduce((sum, { count }) => sum + count, 0)
  let nextPort = 8443
  groups.forEach((group, index) => {
    const { count, network } = group
    const path = group.path ?? `groups.${index}`
    const refuse = (fault: string): never => {
      throw new SettingsError(`${path}${fault}`)
    }
    const port = group.port ?? nextPort
    const before = (group.place && network !== undefined && taken.get(network)) || 0
    const start = network === undefined ? undefined : inGroup(path, () => firstAddress(network, count, before))
    if (group.place && network !== undefined) taken.set(network, before + count)
    if (group.address !== undefined && parseAddress(group.address) === undefined)
      refuse(`.address: ${group.address} is not an address`)
    if (network !== undefined && group.domain !== undefined)
      refuse(`: controllers have a network or a domain: ${network}, ${group.domain}`)
    if (group.certificates === 'own' && group.domain === undefined)
      refuse('.certificates: own ones are for controllers with a domain: clients ask for them by name')
    if (!isShared(group) && port + count - 1 > 65_535)
      refuse(`.count: there are no ${count} ports from ${port} on: give them a network`)
    const address = group.address ?? (start === undefined ? '0.0.0.0' : undefined)
    const reach = { group, path, name: group.name ?? String(index), first, port, network: start, address }
    for (const other of reaches) if (collide(reach, other)) refuse(`: ${collision(other, reach)}`)
    reaches.push(reach)
    first += count
    if (network === undefined && port !== 0) nextPort = port + (isShared(group) ? 1 : count)
  })
  return reaches
}

/** How many listeners the controllers of a group have. */
export function listenersOf(reach: Pick<Reach, 'group' | 'address'>): number {
  return sharesListener(reach) ? 1 : reach.group.count
}

/** Whether one listener takes the connections to all controllers of a group, which addresses or names tell apart. */
export function sharesListener({ group, address }: Pick<Reach, 'group' | 'address'>): boolean {
  return group.domain !== undefined || (group.network !== undefined && address !== undefined)
}

/** Whether the controllers of a group have one port. */
export function isShared({ network, domain }: Group): boolean {
  return network !== undefined || domain !== undefined
}

function inGroup<T>(path: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw new SettingsError(`${path}.network: ${(error as Error).message}`)
  }
}

function collision(one: Reach, other: Reach): string {
  return `controllers from ${one.first} on and from ${other.first} on have ports or addresses in common`
}

function collide(one: Reach, other: Reach): boolean {
  if (one.network === undefined && other.network !== undefined) return collide(other, one)
  if (one.port === 0 || other.port === 0) return false
  // Names distinguish the controllers of both.
  if (one.group.place && other.group.place && one.group.domain && other.group.domain) return false
  const [ports, otherPorts] = [one, other].map(({ group }) => (isShared(group) ? 1 : group.count))
  if (one.port + ports! <= other.port || other.port + otherPorts! <= one.port) return false
  const range = rangeOf(one)
  const otherRange = rangeOf(other)
  if (range === undefined || otherRange === undefined) return true
  return range.family === otherRange.family && range.from < otherRange.to && otherRange.from < range.to
}

/** The local addresses at which a group takes connections; undefined for all. */
function rangeOf({ network, group, address }: Reach) {
  if (network !== undefined)
    return { family: network.family, from: network.value, to: network.value + BigInt(group.count) }
  const own = parseAddress(address ?? '')
  return own === undefined || own.value === 0n ? undefined : { family: own.family, from: own.value, to: own.value + 1n }
}

/** The address at which a client reaches a controller. */
export function addressOf({ network, address }: Reach, index: number): string {
  return network === undefined ? address! : addressText({ ...network, value: network.value + BigInt(index) })
}

/** Finds controllers by where clients connected to. */
export class Finder {
  /** Groups whose controllers share a port. */
  readonly #networks: { readonly reach: Reach; readonly port: number }[] = []
  readonly #byPort = new Map<number, { readonly reach: Reach; readonly index: number }[]>()
  /** Numbers by the port that controllers share, and their names. */
  readonly #byName = new Map<string, number>()
  /** Numbers of controllers with a certificate of their own by its name. */
  readonly #byCertificate = new Map<string, number>()

  /**
   * @param ports of the controllers of a group, or the one that they share
   * @param names of controllers that share an address too
   * @throws SettingsError for a name that two of them have
   */
  add(reach: Reach, ports: readonly number[], names: readonly string[] = []): void {
    names.forEach((name, index) => {
      const key = `${ports[0]} ${name.toLowerCase()}`
      if (this.#byName.has(key)) throw new SettingsError(`two controllers have the name ${name}`)
      this.#byName.set(key, reach.first + index)
      if (reach.group.certificates === 'own') this.#byCertificate.set(name.toLowerCase(), reach.first + index)
    })
    if (reach.group.domain !== undefined) return
    if (reach.network !== undefined) {
      this.#networks.push({ reach, port: ports[0]! })
      return
    }
    ports.forEach((port, index) => {
      this.#byPort.set(port, [...(this.#byPort.get(port) ?? []), { reach, index }])
    })
  }

  /**
   * The number of the controller that a client asks for by its name, at a port that is shared by names.
   *
   * @param host as in the header of a request: a name, or a name and a port
   */
  named(host: string, localPort: number): number | undefined {
    return this.#byName.get(`${localPort} ${host.replace(/:\d+$/, '').toLowerCase()}`)
  }

  /** The number of the controller with its own certificate for this name, or undefined. */
  certified(name: string): number | undefined {
    return this.#byCertificate.get(name.toLowerCase())
  }

  /** The number of the controller there, or undefined. */
  find(localAddress: string, localPort: number): number | undefined {
    const own = this.#byPort.get(localPort) ?? []
    if (own.length === 1) return own[0]!.reach.first + own[0]!.index
    const address = parseAddress(localAddress)
    if (address === undefined) return undefined
    for (const { reach, index } of own) {
      const listened = parseAddress(reach.address ?? '')
      if (listened?.family === address.family && listened.value === address.value) return reach.first + index
    }
    for (const { reach, port } of this.#networks) {
      const { network, first, group } = reach
      if (network?.family !== address.family || port !== localPort) continue
      const index = address.value - network.value
      if (index >= 0n && index < BigInt(group.count)) return first + Number(index)
    }
    return undefined
  }
}
