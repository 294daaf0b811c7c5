import { systemSettings } from '#data/system'
import type { Store } from '#runtime/store/store.ts'
import type { Devices } from '../machine/machine.ts'

/** Has hosts that are switched on wait as long as their settings say. */
export class PowerOnDelay {
  readonly #store: Store
  readonly #power: Devices['power']
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()

  constructor(store: Store, { power }: Pick<Devices, 'power'>) {
    this.#store = store
    this.#power = power
  }

  /** Settles when a host may boot. @throws Error when it is no longer being switched on by then */
  async over(system: string): Promise<void> {
    const { powerOnDelay } = systemSettings(this.#store.get('system', system))
    const isSwitchedOn = () => this.#power.get(system)?.state === 'PoweringOn'
    if (powerOnDelay === 0 || !isSwitchedOn()) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        resolve()
      }, powerOnDelay * 1000)
      this.#timers.add(timer)
    })
    if (!isSwitchedOn()) throw new Error('the host is no longer switched on')
  }

  /** Those who wait then wait for ever: the next process goes on with it. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
