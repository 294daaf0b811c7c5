import { HalError, type HalErrorCode } from '../errors.ts'
import type { OpenTty } from '../tty/tty.ts'

declare const handle: unique symbol
/** An open line of the binding. */
type Handle = { [handle]: true }

type Failure = Error & { code: HalErrorCode }

/** The exports of tty_binding.c. Errors have one of hal's codes in `code`. */
export interface TtyBinding {
  /** @param listener receives bytes, and last a failure, after which the line is closed */
  open(path: string, speed: number, listener: (error: Failure | null, bytes: Uint8Array) => void): Handle
  write(handle: Handle, bytes: Uint8Array): number
  close(handle: Handle): void
}

/** Lines of this machine, by its binding. */
export function openTtyBy(binding: TtyBinding): OpenTty {
  return (path, speed, events) => {
    const failed = (operation: string, error: Failure) =>
      new HalError(error.code, `${path}: ${operation}: ${error.message}`, { cause: error })
    const attempt = <Result>(operation: string, action: () => Result): Result => {
      try {
        return action()
      } catch (error) {
        throw failed(operation, error as Failure)
      }
    }
    const line = attempt('open', () =>
      binding.open(path, speed, (error, bytes) => (error ? events.failed(failed('read', error)) : events.data(bytes)))
    )
    return {
      write: (bytes) => attempt('write', () => binding.write(line, bytes)),
      close: () => binding.close(line)
    }
  }
}
