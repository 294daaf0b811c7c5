import { HalError, type HalErrorCode } from '../errors.ts'
import type { ChipFacts, Gpio, LinePlace, OutputLine } from '../gpio/gpio.ts'

declare const handle: unique symbol
/** A requested line of the binding. */
type Handle = { [handle]: true }

/** The exports of gpio_binding.c. Errors have one of hal's codes in `code`. */
export interface GpioBinding {
  describe(path: string): ChipFacts
  input(
    path: string,
    offset: number,
    activeLow: boolean,
    listener: (error: Failure | null, active: boolean, nanoseconds: bigint) => void
  ): Handle
  output(path: string, offset: number, activeLow: boolean, openDrain: boolean): Handle
  get(handle: Handle): boolean
  /** @param milliseconds -1 is until `release` @param ended not called after `release` and `close` */
  press(handle: Handle, milliseconds: number, ended: (error: Failure | null) => void): void
  release(handle: Handle): void
  close(handle: Handle): void
}

type Failure = Error & { code: HalErrorCode }

/** The lines of this machine, by its binding. */
export function gpioOf(binding: GpioBinding): Gpio {
  return {
    describe: (path) => attempt(path, 'open', () => binding.describe(path)),
    input(line, listener) {
      const { path, offset, activeLow } = line
      const handle = attempt(named(line), 'request', () =>
        binding.input(path, offset, activeLow, (error, active, nanoseconds) =>
          listener(error ? failed(named(line), 'watch', error) : { active, nanoseconds })
        )
      )
      return {
        active: () => attempt(named(line), 'read', () => binding.get(handle)),
        close: () => attempt(named(line), 'close', () => binding.close(handle))
      }
    },
    output(line) {
      const { path, offset, activeLow, openDrain } = line
      const handle = attempt(named(line), 'request', () => binding.output(path, offset, activeLow, openDrain))
      return output(binding, handle, named(line))
    }
  }
}

function output(binding: GpioBinding, handle: Handle, name: string): OutputLine {
  let ended = () => {}
  return {
    press(milliseconds = -1) {
      let settle = (_error: Failure | null) => {}
      const end = new Promise<void>((resolve, reject) => {
        settle = (error) => (error ? reject(failed(name, 'release', error)) : resolve())
      })
      attempt(name, 'press', () => binding.press(handle, milliseconds, (error) => settle(error)))
      ended = () => settle(null)
      return end
    },
    release() {
      attempt(name, 'release', () => binding.release(handle))
      ended()
    },
    close() {
      attempt(name, 'close', () => binding.close(handle))
      ended()
    }
  }
}

const named = ({ path, offset }: LinePlace) => `${path} line ${offset}`

function attempt<Result>(device: string, operation: string, action: () => Result): Result {
  try {
    return action()
  } catch (error) {
    throw failed(device, operation, error as Failure)
  }
}

function failed(device: string, operation: string, error: Failure): HalError {
  return new HalError(error.code, `${device}: ${operation}: ${error.message}`, { cause: error })
}
