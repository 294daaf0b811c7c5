/** The errors of undici, as far as this client has a use for them, distinguished by `code`. */
export class UndiciError extends Error {
  code = 'UND_ERR'
  override name = 'UndiciError'
}

const kind = (name: string, code: string, words: string, Base = UndiciError) =>
  class extends Base {
    override name = name
    override code = code

    constructor(message: string = words) {
      super(message)
    }
  }

export const ConnectTimeoutError = kind('ConnectTimeoutError', 'UND_ERR_CONNECT_TIMEOUT', 'Connect Timeout Error')
export const HeadersTimeoutError = kind('HeadersTimeoutError', 'UND_ERR_HEADERS_TIMEOUT', 'Headers Timeout Error')
export const HeadersOverflowError = kind('HeadersOverflowError', 'UND_ERR_HEADERS_OVERFLOW', 'Headers Overflow Error')
export const BodyTimeoutError = kind('BodyTimeoutError', 'UND_ERR_BODY_TIMEOUT', 'Body Timeout Error')
export const InvalidArgumentError = kind('InvalidArgumentError', 'UND_ERR_INVALID_ARG', 'Invalid Argument Error')
export const AbortError = kind('AbortError', 'UND_ERR_ABORT', 'The operation was aborted')
export const RequestAbortedError = kind('AbortError', 'UND_ERR_ABORTED', 'Request aborted', AbortError)
export const ClientDestroyedError = kind('ClientDestroyedError', 'UND_ERR_DESTROYED', 'The client is destroyed')
export const ClientClosedError = kind('ClientClosedError', 'UND_ERR_CLOSED', 'The client is closed')
export const SocketError = kind('SocketError', 'UND_ERR_SOCKET', 'Socket error')
export const NotSupportedError = kind('NotSupportedError', 'UND_ERR_NOT_SUPPORTED', 'Not supported error')
export const RequestContentLengthMismatchError = kind(
  'RequestContentLengthMismatchError',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
  'Request body length does not match content-length header'
)
export const ResponseContentLengthMismatchError = kind(
  'ResponseContentLengthMismatchError',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'Response body length does not match content-length header'
)
export const ResponseExceededMaxSizeError = kind(
  'ResponseExceededMaxSizeError',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  'Response content exceeded max size'
)

/** An answer that is not HTTP; its code is llhttp's, HPE_…. */
export class HTTPParserError extends Error {
  override name = 'HTTPParserError'
  readonly code: string

  constructor(reason: string, code: string) {
    super(`Response does not match the HTTP/1.1 protocol (${reason})`)
    this.code = code
  }
}

const raised = [
  ConnectTimeoutError,
  HeadersTimeoutError,
  HeadersOverflowError,
  BodyTimeoutError,
  SocketError,
  ResponseContentLengthMismatchError,
  ResponseExceededMaxSizeError
]
const byCode = new Map(raised.map((Kind) => [new Kind().code, Kind]))

/** The error for a code and words of `client.h`. */
export function errorOf(code: string, reason: string): Error {
  const Kind = byCode.get(code)
  if (Kind) return new Kind(reason)
  return code.startsWith('HPE_') ? new HTTPParserError(reason, code) : Object.assign(new Error(reason), { code })
}
