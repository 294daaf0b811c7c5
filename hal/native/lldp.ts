import { HalError, type HalErrorCode } from '../errors.ts'
import type { LldpLink } from '../ports.ts'

declare const handle: unique symbol
/** An open link of the binding. */
type Handle = { [handle]: true }

type Failure = Error & { code: HalErrorCode }

/** The exports of lldp_binding.c. Errors have one of hal's codes in `code`. */
export interface LldpBinding {
  /** @param listener receives frames, and last a failure, after which the link is closed */
  open(device: string, listener: (error: Failure | null, frame: Uint8Array) => void): Handle
  send(handle: Handle, frame: Uint8Array): number
  close(handle: Handle): void
}

/** Opens a network device of the kernel for frames of LLDP. @throws {HalError} `EACCES` without CAP_NET_RAW */
export type OpenLldp = (device: string, received: (frame: Uint8Array) => void) => LldpLink

/** Links of this machine, by its binding. One that fails, because its device is gone, is silent from then on. */
export function openLldpBy(binding: LldpBinding): OpenLldp {
  return (device, received) => {
    const attempt = <Result>(operation: string, action: () => Result): Result => {
      try {
        return action()
      } catch (error) {
        const { code, message } = error as Failure
        throw new HalError(code, `${device}: ${operation}: ${message}`, { cause: error })
      }
    }
    const link = attempt('open', () =>
      binding.open(device, (error, frame) => {
        if (error === null) received(frame)
      })
    )
    return {
      send: (frame) => void attempt('send', () => binding.send(link, frame)),
      close: () => binding.close(link)
    }
  }
}
