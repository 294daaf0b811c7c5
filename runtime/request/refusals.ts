import { busy, MessageError, message } from '#runtime/contract'
import { type Answer, failure, type Messages } from './answer.ts'

/** Answers that no resource and no caller has a part in. */
export class Refusals {
  readonly #messages: Messages

  constructor(messages: Messages) {
    this.#messages = messages
  }

  /** The answer to a body beyond its limit. */
  tooLarge(): Answer {
    return failure(new MessageError(413, [message('Base.PayloadTooLarge')]), this.#messages, '')
  }

  /** The answer to a request for which there is no memory at present. */
  noRoom(): Answer {
    return failure(busy(5), this.#messages, '')
  }

  /** The answer to what is no proper HTTP request, of which neither path nor caller is known. */
  malformed(status: 400 | 408 | 431 | 505): Answer {
    const key = {
      400: 'Mgmt.MalformedRequest',
      408: 'Mgmt.RequestTimeout',
      431: 'Base.HeaderTooLong',
      505: 'Mgmt.HTTPVersionNotSupported'
    } as const
    return failure(new MessageError(status, [message(key[status])]), this.#messages, '')
  }
}
