import { Listeners } from '#runtime/base/listeners.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { HalError, type HalErrorCode, halErrorCodes } from '../errors.ts'

/** Faults every simulated device has. They may be set at any time, and are looked at when an operation is asked for. */
export interface Faults {
  /** The next operation fails with this code and does nothing. Then the fault is gone. */
  failNext?: HalErrorCode | undefined
  /** So many operations to come fail with `EBUSY` and do nothing. */
  busyFor?: number | undefined
  /** While true, the hardware does not answer: operations do nothing and fail with `ETIMEDOUT` after `timeout`. */
  hang?: boolean | undefined
}

/** The options in a board file that simulated devices take. @param own members of `faults` besides {@link Faults} */
export const simOptions = <const Own extends object>(own: Own) =>
  ({
    timeout: {
      type: 'number',
      minimum: 0,
      description: 'Milliseconds until an operation of hardware that does not answer fails'
    },
    faults: {
      type: 'object',
      properties: {
        failNext: { type: 'string', enum: halErrorCodes, description: 'The next operation fails with this code' },
        busyFor: { type: 'integer', minimum: 0, description: 'The number of next operations that fail with EBUSY' },
        hang: { type: 'boolean', description: 'The hardware does not answer' },
        ...own
      },
      description: 'Faults that exist from the start'
    }
  }) as const

/** Where simulated hardware accepts an operation or, by its faults, does not. */
export class Gate {
  readonly #device: string
  readonly #faults: Faults
  readonly #timeout: number
  readonly #closing = new Listeners<void>()
  #closed = false

  /** @param timeout milliseconds that an operation waits for hardware that does not answer */
  constructor(device: string, faults: Faults, timeout: number) {
    this.#device = device
    this.#faults = faults
    this.#timeout = timeout
  }

  /** @throws {HalError} as the faults say, or `ENODEV` when the device is or gets closed */
  async accept(operation: string): Promise<void> {
    const faults = this.#faults
    if (this.#closed) throw this.#error('ENODEV', operation, 'the device is closed')
    if (faults.hang) await this.#noAnswer(operation)
    if (faults.failNext) {
      const code = faults.failNext
      faults.failNext = undefined
      throw this.#error(code, operation, 'fault injected')
    }
    if (faults.busyFor) {
      faults.busyFor -= 1
      throw this.#error('EBUSY', operation, 'the hardware is occupied')
    }
  }

  get closed(): boolean {
    return this.#closed
  }

  close(): void {
    this.#closed = true
    this.#closing.emit()
  }

  async #noAnswer(operation: string): Promise<never> {
    await sleep(this.#timeout, this.#closing)
    if (this.#closed) throw this.#error('ENODEV', 'close', 'the device was closed before it answered')
    throw this.#error('ETIMEDOUT', operation, `no answer within ${this.#timeout} ms`)
  }

  #error(code: HalErrorCode, operation: string, reason: string): HalError {
    return new HalError(code, `${this.#device}: ${operation}: ${reason}`)
  }
}
