import { fail } from '#runtime/contract'
import { isFromBrowser } from './origin.ts'

/** The head of a request as both hosts hand it over. */
export interface Head {
  readonly method: string
  /** The request target as it was sent: path and query. */
  readonly target: string
  /** By lower-case name; a repeated header's values joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The client's IP address and port. */
  readonly address: string
  readonly port?: number | undefined
  /** The connection of the request, if it has one. */
  readonly socket?: Local | undefined
  /** The certificate (DER) that the client presented: the same array each time. Absent if none is asked for. */
  readonly certificate?: () => Uint8Array | undefined
}

/** A connection by this machine's own address and port: Node.js's own class on one host, a drop-in on the other. */
export interface Local {
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
}

/** A request as a host's parser gives it. */
export interface Parsed {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly httpVersion: string
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[]
  readonly socket: Local & { readonly remoteAddress?: string | undefined; readonly remotePort?: number | undefined }
}

/** Methods that parsers know. */
const ordinary = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Headers that RFC 9110 and 9112 allow once only. */
const single = new Set(['host', 'content-length', 'content-type', 'authorization', 'x-auth-token', 'if-none-match'])

/**
 * A `Host` as RFC 9110 7.2 and RFC 3986 3.2.2 allow it: a name or an address, and a port; it may be empty. Without
 * groups that repeat, which would cost the binary a third of a request.
 */
const hosts = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\dA-Fa-f:.]+\])(?::\d*)?$/

/** The last one that was right: clients of a service name it alike. */
let lastHost = ''

function isHost(host: string): boolean {
  if (host === lastHost) return true
  const isRight = hosts.test(host)
  if (isRight) lastHost = host
  return isRight
}

/** The part of a target in absolute form that says which server is meant, in place of `Host` (RFC 9112 3.2.2). */
const absolute = /^https?:\/\/([^/?]*)/i

/**
 * The head of a request, or the status of what the parser lets through and the protocol does not: another version of
 * HTTP, a field twice that may come once, a `Host` that is missing or malformed, more bytes than the limit.
 */
export function readHead(request: Parsed, limit: number): Head | 400 | 431 | 505 {
  const { httpVersion, method = '', url = '', rawHeaders } = request
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 505
  const headers: Record<string, string> = Object.create(null)
  let size = method.length + url.length + ' HTTP/1.1\r\n\r\n'.length
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index]!
    const value = rawHeaders[index + 1]!
    size += sent.length + value.length + ': \r\n'.length
    const name = sent.toLowerCase()
    const before = headers[name]
    if (before === undefined) headers[name] = value
    else if (single.has(name)) return 400
    else headers[name] = `${before}, ${value}`
  }
  if (size > limit) return 431
  if (!isHost(headers.host ?? (httpVersion === '1.0' ? '' : ' '))) return 400
  const meant = url.startsWith('/') ? null : absolute.exec(url)
  let target = url
  if (meant !== null) {
    const [server, host = ''] = meant
    if (host === '' || !isHost(host)) return 400
    headers.host = host
    const rest = url.slice(server.length)
    target = rest.startsWith('/') ? rest : `/${rest}`
  }
  const { socket } = request
  return { method, target, headers, address: socket.remoteAddress ?? '', port: socket.remotePort, socket }
}

const requestLine = /^([!#$%&'*+.^_`|~\w-]{1,32}) (\S+) HTTP\/(1\.[01])$/
const field = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/

/**
 * The head of a request that a host's parser refuses for its method, from the bytes in which it stands; undefined if
 * these are not a whole head, or begin with another request.
 */
export function readRefused(packet: Uint8Array, socket: Parsed['socket'], limit: number): Head | undefined {
  const text = String.fromCharCode(...packet.subarray(0, limit))
  const end = text.indexOf('\r\n\r\n')
  const [first = '', ...lines] = text.slice(0, Math.max(0, end)).split('\r\n')
  const [, method, url, httpVersion = ''] = requestLine.exec(first) ?? []
  const fields = lines.map((line) => field.exec(line))
  if (method === undefined || ordinary.has(method) || fields.includes(null)) return undefined
  const rawHeaders = fields.flatMap((each) => [each?.[1] ?? '', (each?.[2] ?? '').trim()])
  const head = readHead({ method, url, httpVersion, rawHeaders, socket }, limit)
  return typeof head === 'number' ? undefined : head
}

/** The target's path, in which several slashes count as one, and its query without the question mark. */
export function split(target: string): { path: string; search: string | undefined } {
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const search = mark < 0 ? undefined : target.slice(mark + 1)
  return { path: path.includes('//') ? path.replace(/\/{2,}/g, '/') : path, search }
}

/** Whether the client takes a media type (RFC 9110 12.5.1). */
export function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined || header === '*/*' || header === type) return true
  const family = `${type.slice(0, type.indexOf('/'))}/*`
  let best = -1
  let quality = 0
  for (const range of header.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const specificity = [`*/*`, family, type].indexOf(name)
    if (specificity <= best) continue
    best = specificity
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    quality = weight === undefined ? 1 : Number(weight.slice(2))
  }
  return quality > 0
}

/** Whether the client says that it takes gzip. RFC 9110 12.5.3 lets a server assume so, and clients trip over it. */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false
  const codings = header.split(',').map((each) =>
    each
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q=/)
  )
  const given = codings.find(([name]) => name === 'gzip' || name === 'x-gzip') ?? codings.find(([name]) => name === '*')
  return given !== undefined && Number(given[1] ?? 1) > 0
}

/**
 * 415 for a body that its type says is not JSON in UTF-8. Without a type it is taken for JSON, but not from a browser,
 * which asks no server before it sends such a body.
 */
export function checkContentType(headers: Head['headers']): void {
  if (!hasBody(headers)) return
  const header = headers['content-type'] ?? (isFromBrowser(headers) ? untyped : 'application/json')
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (type !== 'application/json' || !utf8) fail(415, 'Mgmt.UnsupportedMediaType', header.slice(0, 64))
}

/** The assumed type of a body without one (RFC 9110 8.3). */
const untyped = 'application/octet-stream'

function hasBody(headers: Head['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}
