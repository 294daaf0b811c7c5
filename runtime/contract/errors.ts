import { type Message, type MessageArgs, type MessageKey, message } from './messages.ts'

/** A failure that is reported to the client: one or more registry messages, and the HTTP status. */
export class MessageError extends Error {
  readonly status: number
  readonly messages: readonly Message[]
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, messages: readonly Message[], headers: Readonly<Record<string, string>> = {}) {
    super(messages.map((each) => `${each.key}(${each.args.join(', ')})`).join(' '))
    this.status = status
    this.messages = messages
    this.headers = headers
  }
}

/** Ends a request with one registry message. */
export function fail<K extends MessageKey>(status: number, key: K, ...args: MessageArgs<K>): never {
  throw new MessageError(status, [message(key, ...args)])
}

/** Ends a request with 404 `ResourceMissingAtURI`; the runtime fills in the URI that was asked for. */
export function notFound(): never {
  throw new MessageError(404, [])
}

/** Ends a request with 403 `InsufficientPrivilege`. */
export function forbidden(): never {
  return fail(403, 'Base.InsufficientPrivilege')
}

/** Ends a request with 409 `InvalidOperationForSystemState`. */
export function conflict(): never {
  return fail(409, 'Mgmt.InvalidOperationForSystemState')
}

/** 503 `ServiceTemporarilyUnavailable`: the same request may be served in so many seconds. */
export function busy(seconds: number): MessageError {
  const after = String(seconds)
  return new MessageError(503, [message('Base.ServiceTemporarilyUnavailable', after)], { 'Retry-After': after })
}

/** Whether the engine had no memory for something: V8's error, or QuickJS's, which is null if no error fits either. */
export function isOutOfMemory(error: unknown): boolean {
  return (
    error === null ||
    (error instanceof Error && /^(out of memory|array buffer allocation failed)$/i.test(error.message))
  )
}
