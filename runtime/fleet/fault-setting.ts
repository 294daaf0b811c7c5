import type { DeviceOptions, FaultRule, FaultsOn } from '#data/fleet'
import { SerialQueue } from '#runtime/base/serial-queue.ts'
import { MessageError, message } from '#runtime/contract'
import { refused } from '#runtime/store/database.ts'
import type { SharedDatabase } from '#runtime/store/shared.ts'
import type { Controller } from './controller.ts'
import { devicesKey, faultsKey, ownPart } from './keys.ts'

/** Faults of requests, and those of devices of the kinds that are named. */
export interface Faulty {
  readonly Rules?: readonly FaultRule[] | undefined
  readonly Devices?: DeviceOptions | undefined
}

/** Replaces faults of controllers while they run. They are on disk before they take effect. */
export class FaultSetting {
  readonly #database: SharedDatabase
  readonly #changed: (controller: Controller) => void
  /** Of each controller that had a change: one that is worked out from what is on waits for those before it. */
  readonly #queues = new Map<number, SerialQueue>()

  /** @param changed is called with a controller that has other faults */
  constructor(database: SharedDatabase, changed: (controller: Controller) => void) {
    this.#database = database
    this.#changed = changed
  }

  /**
   * @param make gets the faults that are on
   * @throws MessageError for faults that its devices do not have, or when the disk refuses them
   */
  change(controller: Controller, make: (now: FaultsOn) => Faulty): Promise<void> {
    const { number, faults } = controller
    const queue = this.#queues.get(number) ?? new SerialQueue()
    this.#queues.set(number, queue)
    return queue.run(() => this.#set(controller, make({ Rules: faults.rules, Devices: controller.deviceFaults })))
  }

  async #set(controller: Controller, { Rules, Devices }: Faulty): Promise<void> {
    const { number, faults } = controller
    const puts = Rules === undefined ? [] : [{ key: faultsKey(number), value: JSON.stringify(Rules) }]
    if (Devices !== undefined) puts.push({ key: devicesKey(number), value: JSON.stringify(all(controller, Devices)) })
    await this.#database.write(ownPart, puts).catch((error: Error) => {
      throw refused(error)
    })
    if (Devices !== undefined) await controller.setDeviceFaults(Devices)
    if (Rules !== undefined) faults.rules = Rules
    this.#changed(controller)
  }
}

function all(controller: Controller, devices: DeviceOptions): DeviceOptions {
  try {
    return controller.deviceFaultsWith(devices)
  } catch {
    throw new MessageError(400, [message('Base.PropertyValueError', 'Devices')])
  }
}
