import { restorePolicy, systemUri } from '#data/system'
import type { PowerState } from '#hal/power.ts'
import { event } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import type { Devices, Hardware } from '../machine/machine.ts'

/**
 * Switches hosts on again after their supply has failed, as `PowerRestorePolicy` says, and remembers whether they are on.
 * A loss of power takes a host down before its controller: an off only counts when the controller outlives it.
 */
export class PowerRestore {
  readonly #store: Store
  readonly #hardware: Hardware
  readonly #devices: Devices
  readonly #events: Events
  readonly #lossTime: number
  /** The hosts whose off does not count yet. */
  readonly #offs = new Map<string, ReturnType<typeof setTimeout>>()
  readonly #ends: readonly (() => void)[]

  /** @param lossTime the most that the controller outlives its hosts when the power is lost, in milliseconds */
  constructor(store: Store, hardware: Hardware, devices: Devices, events: Events, lossTime: number) {
    this.#store = store
    this.#hardware = hardware
    this.#devices = devices
    this.#events = events
    this.#lossTime = lossTime
    this.#ends = [...devices.power].map(([system, power]) =>
      power.on((event) => {
        if (event.type === 'state') this.#follow(system, event.state)
      })
    )
  }

  /** Does what the policies say. To be called when hosts can boot. */
  async open(): Promise<void> {
    for (const [system, power] of this.#devices.power) {
      if (power.supplyFailed && power.state === 'Off') await this.#restore(system)
      else this.#follow(system, power.state)
    }
  }

  /** The offs that do not count yet do: a controller whose power is lost is not closed. */
  async close(): Promise<void> {
    for (const end of this.#ends) end()
    for (const timer of this.#offs.values()) clearTimeout(timer)
    for (const system of this.#offs.keys()) await this.#keep(system, false)
  }

  async #restore(system: string): Promise<void> {
    const policy = restorePolicy(this.#store.get('powerRestore', system))
    const wasOn = this.#store.get('hostPower', system)?.on ?? false
    if (policy === null || policy === 'AlwaysOff' || (policy === 'LastState' && !wasOn))
      return this.#keep(system, false)
    await this.#events.emit(event('MgmtEvents.ServerPowerRestored', systemUri(system), system, policy))
    try {
      await this.#hardware.perform({ kind: 'power', operation: 'on', system })
    } catch (error) {
      await this.#events.emit(event('MgmtEvents.ServerFailed', systemUri(system), system, (error as Error).message))
    }
  }

  #follow(system: string, state: PowerState | undefined): void {
    clearTimeout(this.#offs.get(system))
    this.#offs.delete(system)
    if (state === 'On' || state === 'PoweringOn') void this.#keep(system, true)
    if (state !== 'Off') return
    const settle = () => {
      this.#offs.delete(system)
      void this.#keep(system, false)
    }
    this.#offs.set(system, setTimeout(settle, this.#lossTime))
  }

  async #keep(system: string, on: boolean): Promise<void> {
    if ((this.#store.get('hostPower', system)?.on ?? false) === on) return
    try {
      await this.#store.commit({ hostPower: { [system]: { on } } })
    } catch (error) {
      this.#store.log.warning('the power state of a host was not stored', { system, cause: (error as Error).message })
    }
  }
}
