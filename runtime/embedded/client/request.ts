import { InvalidArgumentError, NotSupportedError, RequestContentLengthMismatchError } from './errors.ts'

/** The input of `client.request`. */
export interface RequestOptions {
  path: string
  method: string
  headers?: Record<string, string | number | readonly string[] | undefined> | null
  body?: string | Uint8Array | null
  /** Milliseconds, 0: for ever; in the place of the client's. */
  headersTimeout?: number | null
  bodyTimeout?: number | null
}

/** A request as it is sent. */
export interface Written {
  /** A text where that is ASCII. */
  head: string | Uint8Array
  body: string | Uint8Array
  isHead: boolean
  /** The connection is closed afterwards. */
  last: boolean
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const notInPath = /[^\x21-\xff]/
const notInValue = /[^\t\x20-\x7e\x80-\xff]/
const notAscii = /[\x80-\xff]/
const withPayload = new Set(['PUT', 'POST', 'PATCH', 'QUERY', 'PROPFIND', 'PROPPATCH'])
const framing = new Set(['transfer-encoding', 'keep-alive', 'upgrade'])

const refuse = (message: string): never => {
  throw new InvalidArgumentError(message)
}

/** @throws InvalidArgumentError */
export function checkTimeout(name: string, value: number | null | undefined): void {
  if (value != null && (!Number.isFinite(value) || value < 0)) refuse(`invalid ${name}`)
}

function checkTarget({ path, method }: RequestOptions): void {
  if (typeof path !== 'string') refuse('path must be a string')
  if (!/^(\/|https?:\/\/)/.test(path)) refuse('path must be an absolute URL or start with a slash')
  if (notInPath.test(path)) refuse('invalid request path')
  if (typeof method !== 'string') refuse('method must be a string')
  if (!token.test(method) || method === 'CONNECT') refuse('invalid request method')
}

/** Names, values, and what the connection derives from them. */
function fieldsOf(headers: RequestOptions['headers']) {
  let lines = ''
  let host: string | undefined
  let length: number | undefined
  let close = false
  for (const [name, given] of Object.entries(headers ?? {})) {
    if (given === undefined) continue
    const lower = name.toLowerCase()
    const values = (Array.isArray(given) ? given : [given ?? '']).map(String)
    if (!token.test(name)) refuse('invalid header key')
    if (values.some((value) => notInValue.test(value)) || framing.has(lower)) refuse(`invalid ${name} header`)
    if (lower === 'expect') throw new NotSupportedError('expect header not supported')
    if (lower === 'host') host = values[0]
    else if (lower === 'content-length')
      length = /^\d+$/.test(values[0]!) ? Number(values[0]) : refuse(`invalid ${name} header`)
    else if (lower === 'connection')
      close = values[0]!
        .toLowerCase()
        .split(',')
        .some((each) => each.trim() === 'close')
    else lines += values.map((value) => `${name}: ${value}\r\n`).join('')
  }
  return { lines, host, length, close }
}

const sizeOf = (body: string | Uint8Array) => (typeof body === 'string' ? new TextEncoder().encode(body) : body).length

/**
 * Checks a request and writes it (RFC 9112).
 *
 * @param authority the Host field, unless the headers have one
 * @throws InvalidArgumentError for what cannot be written, line breaks in headers among it
 */
export function write(options: RequestOptions, authority: string): Written {
  const { path, method, headers, body } = options
  checkTarget(options)
  checkTimeout('headersTimeout', options.headersTimeout)
  checkTimeout('bodyTimeout', options.bodyTimeout)
  if (body != null && typeof body !== 'string' && !(body instanceof Uint8Array))
    refuse('body must be a string or a Uint8Array')
  const { lines, host, length, close } = fieldsOf(headers)
  const payload = body ?? ''
  const size = sizeOf(payload)
  if (length && length !== size) throw new RequestContentLengthMismatchError()
  const isHead = method === 'HEAD'
  const last = isHead || close
  const head =
    `${method} ${path} HTTP/1.1\r\nhost: ${host ?? authority}\r\nconnection: ${last ? 'close' : 'keep-alive'}\r\n${lines}` +
    `${size > 0 || withPayload.has(method) ? `content-length: ${size}\r\n` : ''}\r\n`
  const bytes = notAscii.test(head) ? Uint8Array.from(head, (character) => character.charCodeAt(0)) : head
  return { head: bytes, body: payload, isHead, last }
}
