import { MessageError } from '#runtime/contract'

/** The status, the message and the `Retry-After` that work is refused with; `taken` if it is not. */
export function refusal(work: () => unknown): string {
  try {
    work()
    return 'taken'
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    return `${error.status} ${error.messages[0]?.key} ${error.headers['Retry-After'] ?? ''}`.trim()
  }
}
