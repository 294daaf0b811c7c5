import { MessageError } from '#runtime/contract'

/** The failure as a client would see it: the status, and each message with its arguments and pointers. */
export function faults(run: () => unknown): unknown {
  try {
    return { returned: run() }
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    return [error.status, ...error.messages.map(({ key, args, related = [] }) => [key, ...args, ...related])]
  }
}
