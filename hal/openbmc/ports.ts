import { prefixLengthOf } from '#runtime/base/ip.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { Variant } from '../dbus/values.ts'
import { HalError } from '../errors.ts'
import type { LinkCounters, Port, PortSettings, PortState } from '../ports.ts'
import { kernelCounters } from '../sysfs/ports.ts'
import { type BusOptions, busOptions, type Objects } from './objects.ts'
import {
  addressesAt,
  addressInterface,
  dhcpInterface,
  dhcpOf,
  dhcpWords,
  ethernet,
  interfacePath,
  portState,
  portStateInterfaces,
  used
} from './port-state.ts'
import { put } from './shared-state.ts'

/** The back end `openbmc` of a port of the controller: one of the interfaces of OpenBMC's network manager. */
export interface OpenbmcPortOptions extends BusOptions {
  /** Its name for the kernel. Default `eth0`. */
  readonly device?: string | undefined
}

/** {@link OpenbmcPortOptions} in a board file. */
export const openbmcPortOptions = {
  type: 'object',
  properties: {
    device: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,15}$', description: 'Its name for the kernel; default eth0' },
    ...busOptions
  }
} as const

const creation = `${addressInterface}.Create`
const deletion = 'xyz.openbmc_project.Object.Delete'

export const portInterfaces = [...portStateInterfaces, creation, deletion]

export function openbmcPort(objects: Objects, options: OpenbmcPortOptions): Port {
  return new OpenbmcPort(objects, options)
}

class OpenbmcPort implements Port {
  readonly isShared = true
  readonly needsAddresses = false
  readonly #objects: Objects
  readonly #name: string
  readonly #device: string
  readonly #path: string
  readonly #listeners = new Listeners<PortState>()
  #state: PortState

  constructor(objects: Objects, { name, device = 'eth0' }: OpenbmcPortOptions) {
    this.#objects = objects
    this.#name = name
    this.#device = device
    this.#path = interfacePath(device)
    this.#state = portState(this.#objects, this.#device)
    objects.on((changed) => {
      if ([...changed].some((path) => path === this.#path || path.startsWith(`${this.#path}/`))) this.#look()
    })
  }

  get state(): PortState {
    return this.#state
  }

  counters(): LinkCounters | undefined {
    return kernelCounters(this.#device)
  }

  /** Sets the properties that differ: adds before it removes, enables the port first, and disables it last. */
  async configure(wanted: PortSettings): Promise<void> {
    const present = this.#state.settings
    if (present === undefined) throw new HalError('ENODEV', `${this.#name}: the bus has no interface ${this.#device}`)
    try {
      await this.#set('NICEnabled', new Variant('b', wanted.enabled), wanted.enabled && !present.enabled)
      await this.#set('MTU', new Variant('t', BigInt(wanted.mtu ?? 0)), wanted.mtu !== present.mtu)
      await this.#setAddresses(wanted)
      await this.#set('DefaultGateway', new Variant('s', wanted.gateway ?? ''), wanted.gateway !== present.gateway)
      const isOtherWay = wanted.ipv6Gateway !== present.ipv6Gateway
      await this.#set('DefaultGateway6', new Variant('s', wanted.ipv6Gateway ?? ''), isOtherWay)
      // After the addresses: a new one ends DHCP.
      await this.#setDhcp(wanted)
      await this.#set('IPv6AcceptRA', new Variant('b', wanted.slaac), wanted.slaac !== present.slaac)
      const areOthers = wanted.nameServers.join() !== present.nameServers.join()
      await this.#set('StaticNameServers', new Variant('as', [...wanted.nameServers]), areOthers)
      await this.#set('NICEnabled', new Variant('b', wanted.enabled), !wanted.enabled && present.enabled)
    } catch (error) {
      throw await this.#explain(error as HalError)
    } finally {
      this.#look()
    }
  }

  on(listener: (state: PortState) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#listeners.clear()
    this.#objects.close()
  }

  #look(): void {
    const now = portState(this.#objects, this.#device)
    if (JSON.stringify(now) === JSON.stringify(this.#state)) return
    this.#state = now
    this.#listeners.emit(now)
  }

  get #isThere(): boolean {
    return this.#objects.properties(this.#path, ethernet) !== undefined
  }

  /** `ENODEV` is for the end of the network manager alone, of which the mirror may hear a little later than the call. */
  async #explain(error: HalError): Promise<HalError> {
    if (error.code !== 'ENODEV' && error.code !== 'ETIMEDOUT') return error
    await this.#objects.until(this.#path, () => !this.#isThere)
    if (!this.#isThere) return new HalError('ENODEV', error.message)
    return error.code === 'ENODEV' ? new HalError('EIO', error.message) : error
  }

  async #set(property: string, value: Variant, isOther: boolean): Promise<void> {
    if (isOther) await put(this.#objects, this.#path, ethernet, property, value)
  }

  async #setAddresses({ ipv4, ipv6 }: PortSettings): Promise<void> {
    const wanted = [
      ...ipv4.map(({ address, subnetMask }) => ({ type: 'IPv4', address, length: prefixLengthOf(subnetMask) })),
      ...ipv6.map(({ address, prefixLength }) => ({ type: 'IPv6', address, length: prefixLength }))
    ]
    const present = addressesAt(this.#objects, this.#path).filter(({ origin }) => origin === 'Static')
    const textOf = ({ address, length }: { address: string; length: number }) => `${address}/${length}`
    for (const { type, address, length } of wanted) {
      if (present.some((each) => textOf(each) === textOf({ address, length }))) continue
      const values = [`${addressInterface}.Protocol.${type}`, address, length, '']
      const [path] = await this.#objects.call(this.#path, creation, 'IP', 'ssys', values)
      const made = String(path)
      await this.#objects.until(made, () => this.#objects.properties(made, addressInterface) !== undefined)
    }
    for (const each of present) {
      if (wanted.some((other) => textOf(other) === textOf(each))) continue
      await this.#objects.call(each.path, deletion, 'Delete')
      await this.#objects.until(each.path, () => this.#objects.properties(each.path, addressInterface) === undefined)
    }
  }

  async #setDhcp({ dhcpv4, dhcpv6 }: PortSettings): Promise<void> {
    const found = this.#objects.properties(this.#path, ethernet)
    const present = dhcpOf(found)
    const wanted = [dhcpv4.enabled, dhcpv6.enabled] as const
    if (found?.get('DHCP4') !== undefined) {
      await this.#set('DHCP4', new Variant('b', wanted[0]), wanted[0] !== present[0])
      await this.#set('DHCP6', new Variant('b', wanted[1]), wanted[1] !== present[1])
    } else {
      const [word = 'none'] = Object.entries(dhcpWords).find(([, each]) => each.join() === wanted.join()) ?? []
      const value = new Variant('s', `${ethernet}.DHCPConf.${word}`)
      await this.#set('DHCPEnabled', value, wanted.join() !== present.join())
    }
    for (const [folder, settings] of [['dhcp4', dhcpv4] as const, ['dhcp6', dhcpv6] as const]) {
      const path = `${this.#path}/${folder}`
      for (const [name, property] of used) {
        const value = settings[name]
        if (value === undefined || value === this.#objects.properties(path, dhcpInterface)?.get(property)) continue
        await put(this.#objects, path, dhcpInterface, property, new Variant('b', value))
      }
    }
  }
}
