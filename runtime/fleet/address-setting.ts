import { SettingsError } from '#data/configuration'
import type { ScenarioStep } from '#data/fleet'
import { Listeners } from '#runtime/base/listeners.ts'
import { SerialQueue } from '#runtime/base/serial-queue.ts'
import type { HttpsServer, Listening } from '#runtime/listen/server.ts'
import { listening } from '#runtime/listen/servers.ts'
import type { SharedDatabase } from '#runtime/store/shared.ts'
import { parseAddress } from './addresses.ts'
import type { Controller } from './controller.ts'
import { addressKey, ownPart } from './keys.ts'
import { type Finder, hasListenerEach, type Reach } from './plan.ts'

interface Parts {
  readonly database: SharedDatabase
  readonly finder: Finder
  /** @throws the system's error */
  readonly listenAt: (port: number, address: string) => Promise<Listening>
  readonly endConnections: HttpsServer['endConnections']
}

/** Gives controllers other addresses while they run, as a DHCP server does. An address is on disk before it takes effect. */
export class AddressSetting {
  readonly #parts: Parts
  /** The listeners of controllers that have one each, by their numbers. */
  readonly #listeners = new Map<number, Listening>()
  readonly #queue = new SerialQueue()
  readonly #changed = new Listeners<Controller>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Calls `listener` with each controller that has another address; the function returned ends that. */
  onChanged(listener: (controller: Controller) => void): () => void {
    return this.#changed.add(listener)
  }

  /** Listens at the address of a controller, for this one only. @returns the port @throws Error in one line */
  async listen(controller: Controller, port: number): Promise<number> {
    const address = controller.address!
    const own = await this.#listenAt(address, port)
    this.#listeners.set(controller.number, own)
    return own.port
  }

  /**
   * Has a controller listen at another address, and at the one before no more, whose connections end after the answer
   * under way.
   *
   * @throws SettingsError for a controller without a listener of its own; Error in one line for an address that cannot be
   * had; StoreError
   */
  change(controller: Controller, address: string): Promise<void> {
    return this.#queue.run(async () => {
      const { number, address: before } = controller
      const old = this.#listeners.get(number)
      const fault = addressFault(address, before !== undefined && old !== undefined)
      if (fault !== undefined) throw new SettingsError(fault)
      if (before === address) return
      const { finder, database, endConnections } = this.#parts
      const own = await this.#listenAt(address, old!.port)
      try {
        await database.write(ownPart, [{ key: addressKey(number), value: address }])
      } catch (error) {
        own.close()
        throw error
      }
      this.#listeners.set(number, own)
      old!.close()
      endConnections(({ localAddress = '', localPort = 0 }) => finder.find(localAddress, localPort) === number)
      finder.move(number, { from: before!, to: address, port: own.port })
      try {
        await controller.lease(address)
      } finally {
        // It is there already, also when its store takes no settings and events.
        this.#changed.emit(controller)
      }
    })
  }

  async #listenAt(address: string, port: number): Promise<Listening> {
    return await listening(this.#parts.listenAt(port, address), port, address)
  }
}

/** The first mistake in the steps of a scenario that give addresses. @throws SettingsError */
export function checkAddresses(steps: readonly ScenarioStep[], reaches: readonly Reach[]): void {
  steps.forEach(({ address, controllers = [] }, index) => {
    if (address === undefined) return
    const refuse = (fault: string): never => {
      throw new SettingsError(`scenario.${index}.${fault}`)
    }
    if (controllers.length !== 1) refuse('controllers: an address is for one controller')
    const reach = reaches.find(({ first, group }) => controllers[0]! >= first && controllers[0]! < first + group.count)
    if (reach === undefined) refuse(`controllers: there is no controller ${controllers[0]}`)
    const fault = addressFault(address, hasListenerEach(reach!))
    if (fault !== undefined) refuse(`${fault} (${reach!.path})`)
  })
}

function addressFault(address: string, hasListener: boolean): string | undefined {
  if (parseAddress(address)?.family !== 4) return `address: ${address} is not an IPv4 address`
  if (hasListener) return undefined
  return 'address: this is for controllers that listen on an address each; others share theirs, by ports or names'
}
