import { HalError, type HalErrorCode } from '../errors.ts'
import type { AdoptTty, OpenTty, Tty, TtyEvents } from '../tty/tty.ts'

declare const handle: unique symbol
/** An open line of the binding. */
type Handle = { [handle]: true }

type Failure = Error & { code: HalErrorCode }

/** Called with bytes, and last with a failure, after which the line is closed. */
type Listener = (error: Failure | null, bytes: Uint8Array) => void

/** The exports of tty_binding.c. Errors have one of hal's codes in `code`. */
export interface TtyBinding {
  open(path: string, speed: number, listener: Listener): Handle
  /** Takes a descriptor of a line or a socket, and closes it if that fails. */
  adopt(descriptor: number, listener: Listener): Handle
  write(handle: Handle, bytes: Uint8Array): number
  setBreak(handle: Handle, on: boolean): void
  close(handle: Handle): void
}

/** Lines of this machine, by its binding. */
export function openTtyBy(binding: TtyBinding): OpenTty {
  return (path, speed, events) => lineOf(binding, path, events, (listener) => binding.open(path, speed, listener))
}

/** Lines that other programs have opened, by the binding. */
export function adoptTtyBy(binding: TtyBinding): AdoptTty {
  return (descriptor, name, events) => lineOf(binding, name, events, (listener) => binding.adopt(descriptor, listener))
}

/** @throws {HalError} as `open` fails */
function lineOf(binding: TtyBinding, name: string, events: TtyEvents, open: (listener: Listener) => Handle): Tty {
  const failed = (operation: string, error: Failure) =>
    new HalError(error.code, `${name}: ${operation}: ${error.message}`, { cause: error })
  const attempt = <Result>(operation: string, action: () => Result): Result => {
    try {
      return action()
    } catch (error) {
      throw failed(operation, error as Failure)
    }
  }
  const line = attempt('open', () =>
    open((error, bytes) => (error ? events.failed(failed('read', error)) : events.data(bytes)))
  )
  return {
    write: (bytes) => attempt('write', () => binding.write(line, bytes)),
    setBreak: (on) => attempt('break', () => binding.setBreak(line, on)),
    close: () => binding.close(line)
  }
}
