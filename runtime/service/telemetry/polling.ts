import type { Sensors } from '#hal/sensors.ts'
import type { Log } from '#runtime/base/log.ts'

/**
 * Reads all sensors now, and again every so many seconds; `then` is called after each round. A device that fails is
 * logged once until it answers again.
 */
export class Polling {
  readonly #sensors: ReadonlyMap<string, Sensors>
  readonly #then: () => void
  readonly #log: Log
  readonly #timer: ReturnType<typeof setInterval>
  readonly #failed = new Set<string>()
  #round: Promise<void> | undefined

  constructor(sensors: ReadonlyMap<string, Sensors>, interval: number, then: () => void, log: Log) {
    this.#sensors = sensors
    this.#then = then
    this.#log = log
    this.#timer = setInterval(() => void this.poll(), interval * 1000)
    this.#timer.unref()
  }

  /** A round; the one that is under way, if there is one. Never fails. */
  poll(): Promise<void> {
    this.#round ??= this.#poll().finally(() => {
      this.#round = undefined
    })
    return this.#round
  }

  async #poll(): Promise<void> {
    await Promise.all([...this.#sensors].map(([chassis, sensors]) => this.#read(chassis, sensors)))
    this.#then()
  }

  async #read(chassis: string, sensors: Sensors): Promise<void> {
    try {
      await sensors.poll()
      if (this.#failed.delete(chassis)) this.#log.info('the sensors can be read again', { chassis })
    } catch (error) {
      if (this.#failed.has(chassis)) return
      this.#failed.add(chassis)
      this.#log.warning('the sensors cannot be read', { chassis, cause: (error as Error).message })
    }
  }

  /** Waits for the round under way. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#round
  }
}
