import { InvalidArgumentError, NotSupportedError } from './errors.ts'
import { checkTimeout } from './request.ts'

/** Options of the connection; certificates and keys are PEM. */
interface ConnectOptions {
  ca?: string | readonly string[]
  cert?: string
  key?: string
  rejectUnauthorized?: boolean
  servername?: string
  timeout?: number | null
}

/** Times are milliseconds, sizes are bytes. */
export interface ClientOptions {
  connect?: ConnectOptions
  connectTimeout?: number
  headersTimeout?: number
  bodyTimeout?: number
  keepAliveTimeout?: number
  keepAliveMaxTimeout?: number
  keepAliveTimeoutThreshold?: number
  maxHeaderSize?: number
  maxResponseSize?: number
  pipelining?: number
}

/** @throws InvalidArgumentError, NotSupportedError */
export function check(options: ClientOptions): void {
  const { maxHeaderSize, keepAliveTimeout, maxResponseSize, pipelining } = options
  for (const name of ['connectTimeout', 'headersTimeout', 'bodyTimeout'] as const) checkTimeout(name, options[name])
  checkTimeout('connect.timeout', options.connect?.timeout)
  if (keepAliveTimeout != null && !(keepAliveTimeout > 0)) throw new InvalidArgumentError('invalid keepAliveTimeout')
  if (maxHeaderSize != null && !(Number.isInteger(maxHeaderSize) && maxHeaderSize > 0)) {
    throw new InvalidArgumentError('invalid maxHeaderSize')
  }
  if (maxResponseSize != null && !(Number.isInteger(maxResponseSize) && maxResponseSize >= -1)) {
    throw new InvalidArgumentError('maxResponseSize must be a positive number')
  }
  if (pipelining != null && pipelining !== 1) throw new NotSupportedError('pipelining must be 1')
}

/** @throws InvalidArgumentError for anything but the origin of an https server */
export function originOf(origin: string | URL): URL {
  const url = new URL(String(origin))
  if (url.protocol !== 'https:') throw new InvalidArgumentError('Invalid URL protocol: only https is supported')
  if (url.pathname !== '/' || url.search || url.hash) throw new InvalidArgumentError('invalid url')
  return url
}
