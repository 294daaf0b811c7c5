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
  /** How many addresses of the networks of racks and inventories are taken. */
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
    const before = (group.path !== undefined && network !== undefined && taken.get(network)) || 0
    const start = network === undefined ? undefined : inGroup(path, () => firstAddress(network, count, before))
    if (group.path !== undefined && network !== undefined) taken.set(network, before + count)
    if (group.address !== undefined && parseAddress(group.address) === undefined)
      refuse(`.address: ${group.address} is not an address`)
    if (network !== undefined && group.domain !== undefined)
      refuse(`: controllers have a network or a domain: ${network}, ${group.domain}`)
    if (group.certificates === 'own' && group.domain === undefined)
      refuse('.certificates: own ones are for controllers with a domain: clients ask for them by name')
    if (!isShared(group) && port + count - 1 > 65_535)
      refuse(`.count: there are no ${count} ports from ${port} on: give them a network`)
    const hasOwn = start !== undefined || hasAddresses(group)
    const address = group.address ?? (hasOwn ? undefined : '0.0.0.0')
    reaches.push({ group, path, name: group.name ?? String(index), first, port, network: start, address })
    first += count
    if (!hasOwn && port !== 0) nextPort = port + (isShared(group) ? 1 : count)
  })
  refuseCollisions(reaches)
  return reaches
}

/** How many listeners the controllers of a group have. */
export function listenersOf(reach: Pick<Reach, 'group' | 'address'>): number {
  return sharesListener(reach) ? 1 : reach.group.count
}

/** Whether one listener takes the connections to all controllers of a group, which addresses or names tell apart. */
export function sharesListener({ group, address }: Pick<Reach, 'group' | 'address'>): boolean {
  return group.domain !== undefined || (isShared(group) && address !== undefined)
}

/** Whether each controller of a group has a listener at an address of its own. */
export function hasListenerEach(reach: Pick<Reach, 'group' | 'address'>): boolean {
  return isShared(reach.group) && !sharesListener(reach)
}

/** Whether the controllers of a group have one port. */
export function isShared(group: Group): boolean {
  return group.network !== undefined || group.domain !== undefined || hasAddresses(group)
}

/** Whether an inventory gives each controller of a group an address. */
const hasAddresses = ({ listed }: Group) => listed?.[0]?.address !== undefined

function inGroup<T>(path: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw new SettingsError(`${path}.network: ${(error as Error).message}`)
  }
}

/** Local addresses and ports at which controllers of a group take connections. */
interface Range {
  readonly reach: Reach
  readonly path: string
  readonly family: 4 | 6
  readonly from: bigint
  readonly to: bigint
}

/**
 * In the order of the addresses, each range is compared with the last at its ports only: an inventory has thousands.
 *
 * @throws SettingsError for two groups with ports and addresses in common
 */
function refuseCollisions(reaches: readonly Reach[]): void {
  const ranges = reaches.filter(({ port }) => port !== 0).flatMap(rangesOf)
  ranges.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : a.reach.first - b.reach.first))
  const last = { 4: new Map<number, Range>(), 6: new Map<number, Range>() }
  for (const range of ranges) {
    const { port, group } = range.reach
    const at = last[range.family]
    for (let own = port; own < port + (isShared(group) ? 1 : group.count); own += 1) {
      const other = at.get(own)
      if (other !== undefined && other.to > range.from && !areNamed(other.reach, range.reach))
        throw new SettingsError(collision(other, range))
      if (other === undefined || other.to <= range.to) at.set(own, range)
    }
  }
}

function collision(...both: [Range, Range]): string {
  const [one, other] = both.sort((a, b) => a.reach.first - b.reach.first)
  const [from, otherFrom] = [one.reach.first, other.reach.first]
  return `${other.path}: controllers from ${from} on and from ${otherFrom} on have ports or addresses in common`
}

/** Whether names distinguish the controllers of both. */
function areNamed({ group: one }: Reach, { group: other }: Reach): boolean {
  return [one, other].every(({ path, domain }) => path !== undefined && domain !== undefined)
}

/** All addresses of a family. */
const whole = { 4: 1n << 32n, 6: 1n << 128n } as const

function rangesOf(reach: Reach): Range[] {
  const { network, group, path, address } = reach
  const range = ({ family, value }: Address, count: number, at = path) => ({
    ...{ reach, path: at, family },
    ...{ from: value, to: value + BigInt(count) }
  })
  if (network !== undefined) return [range(network, group.count)]
  if (hasAddresses(group)) return group.listed!.map((each) => range(parseAddress(each.address!)!, 1, each.path))
  const own = parseAddress(address ?? '')
  if (own !== undefined && own.value !== 0n) return [range(own, 1)]
  return ([4, 6] as const).map((family) => ({ ...range({ family, value: 0n }, 0), to: whole[family] }))
}

/** The address at which a client reaches a controller. */
export function addressOf({ network, address, group }: Reach, index: number): string {
  const own = network === undefined ? group.listed?.[index]?.address : undefined
  return network === undefined ? (own ?? address!) : addressText({ ...network, value: network.value + BigInt(index) })
}

/** Finds controllers by where clients connected to. */
export class Finder {
  /** Groups whose controllers share a port. */
  readonly #networks: { readonly reach: Reach; readonly port: number }[] = []
  /** Numbers by the addresses of an inventory, or those that controllers have moved to, and their port; undefined: left. */
  readonly #byAddress = new Map<string, number | undefined>()
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
    if (hasAddresses(reach.group)) {
      reach.group.listed!.forEach(({ address }, index) => {
        this.#byAddress.set(placeKey(parseAddress(address!)!, ports[0]!), reach.first + index)
      })
      return
    }
    ports.forEach((port, index) => {
      this.#byPort.set(port, [...(this.#byPort.get(port) ?? []), { reach, index }])
    })
  }

  /** Moves a controller to another address at the same port. Another one may already be at `from`. */
  move(
    number: number,
    { from, to, port }: { readonly from: string; readonly to: string; readonly port: number }
  ): void {
    if (this.find(from, port) === number) this.#byAddress.set(placeKey(parseAddress(from)!, port), undefined)
    this.#byAddress.set(placeKey(parseAddress(to)!, port), number)
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
    const address = parseAddress(localAddress)
    if (address === undefined) return undefined
    const key = placeKey(address, localPort)
    if (this.#byAddress.has(key)) return this.#byAddress.get(key)
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
    // One that listens at all addresses.
    return own.length === 1 ? own[0]!.reach.first + own[0]!.index : undefined
  }
}

const placeKey = ({ family, value }: Address, port: number) => `${family} ${value} ${port}`
