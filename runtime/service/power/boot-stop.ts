import type { Board } from '#data/board'
import { hasCriticalFault } from '#data/health'
import { systemSettings, systemUri } from '#data/system'
import { event } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import type { Devices } from '../machine/machine.ts'

/** Holds hosts that have a critical fault before they boot, as `StopBootOnFault` says. */
export class BootStop {
  readonly #store: Store
  readonly #board: Board
  readonly #power: Devices['power']
  readonly #events: Pick<Events, 'emit'>

  constructor(store: Store, board: Board, { power }: Pick<Devices, 'power'>, events: Pick<Events, 'emit'>) {
    this.#store = store
    this.#board = board
    this.#power = power
    this.#events = events
  }

  /**
   * Settles when a host may boot: at once without a fault, or when it is over, or a client no longer wants the stop.
   *
   * @throws Error when the host is switched off meanwhile
   */
  async over(system: string): Promise<void> {
    if (!this.#stops(system)) return
    await this.#events.emit(event('MgmtEvents.ServerBootStopped', systemUri(system), system))
    const ends: (() => void)[] = []
    try {
      await new Promise<void>((resolve, reject) => {
        const check = () => {
          if (!this.#stops(system)) resolve()
        }
        const power = this.#power.get(system)
        const look = () => {
          if (power?.state === 'Off') reject(new Error('the host is switched off'))
        }
        ends.push(this.#store.on('condition', check), this.#store.on('system', check))
        if (power !== undefined) ends.push(power.on(look))
        check()
        look()
      })
    } finally {
      for (const end of ends) end()
    }
  }

  #stops(system: string): boolean {
    if (systemSettings(this.#store.get('system', system)).bootStop === 'Never') return false
    return hasCriticalFault({ board: this.#board }, this.#store, system)
  }
}
