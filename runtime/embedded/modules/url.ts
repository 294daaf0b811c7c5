/**
 * `URL` of the WHATWG URL Standard, read-only, for `http` and `https` only: the members that find-my-way uses for a
 * request target in absolute form, and the service for a destination. No IDNA: a host that is not ASCII is refused.
 */
const ports: Record<string, string> = { 'http:': '80', 'https:': '443' }

const shape = /^(https?):[/\\]*([^/\\?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is
const authority = /^(?:(.*)@)?(\[[0-9a-f:.]+\]|[^:@[\]]*)(?::(\d*))?$/is
// biome-ignore format: one set of characters a line
const escaped = {
  path: /[\0-\x20"#<>?^`{}\x7f-\u{10ffff}]/gu,
  query: /[\0-\x20"#'<>\x7f-\u{10ffff}]/gu,
  fragment: /[\0-\x20"<>`\x7f-\u{10ffff}]/gu,
  userinfo: /[\0-\x20"#/:;<=>?@[\\\]^`{|}\x7f-\u{10ffff}]/gu
}

const encode = (text: string, set: RegExp) =>
  text.replace(set, (each) =>
    each < '\x80' ? `%${each.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}` : encodeURIComponent(each)
  )

const single = /^(?:\.|%2e)$/i
const double = /^(?:\.|%2e){2}$/i

function resolvePath(path: string): string {
  const segments = path.replaceAll('\\', '/').split('/').slice(1)
  const resolved: string[] = []
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1
    if (double.test(segment)) resolved.pop()
    else if (!single.test(segment)) resolved.push(encode(segment, escaped.path))
    if (isLast && (double.test(segment) || single.test(segment))) resolved.push('')
  }
  return `/${resolved.join('/')}`
}

/** The dotted decimal form of an IPv4 address with decimal, octal or hexadecimal parts; undefined for other texts. */
function ipv4(host: string): string | undefined {
  const parts = host.replace(/\.$/, '').split('.')
  const numbers = parts.map((part) =>
    /^(?:0x[0-9a-f]*|0[0-7]*|[1-9]\d*)$/i.test(part) ? readNumber(part) : Number.NaN
  )
  const last = numbers.pop()!
  if (parts.length > 4 || Number.isNaN(last) || numbers.some((each) => !(each < 256))) return undefined
  if (last >= 256 ** (4 - numbers.length)) return undefined
  const value = numbers.reduce((sum, each, index) => sum + each * 256 ** (3 - index), last)
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')
}

const readNumber = (part: string) =>
  /^0x/i.test(part) ? Number.parseInt(part.slice(2) || '0', 16) : Number.parseInt(part, /^0./.test(part) ? 8 : 10)

function readHost(text: string): string | undefined {
  if (text.startsWith('[')) return text.toLowerCase()
  let host: string
  try {
    host = decodeURIComponent(text).toLowerCase()
  } catch {
    return undefined
  }
  if (host === '' || /[^\x21-\x7e]|[#%/:<>?@[\\\]^|]/.test(host)) return undefined
  return /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/.test(host) ? ipv4(host) : host
}

interface Parts {
  href: string
  protocol: string
  username: string
  password: string
  hostname: string
  port: string
  pathname: string
  search: string
  hash: string
}

function parse(input: string): Parts | undefined {
  const [, scheme, place, path, search = '', hash = ''] = shape.exec(input.trim().replace(/[\t\n\r]/g, '')) ?? []
  if (scheme === undefined) return undefined
  const [, user = '', host = '', port = ''] = authority.exec(place!) ?? []
  const hostname = readHost(host)
  if (hostname === undefined || Number(port) > 65535) return undefined
  const protocol = `${scheme.toLowerCase()}:`
  const [name = '', ...rest] = user.split(':')
  const username = encode(name, escaped.userinfo)
  const password = encode(rest.join(':'), escaped.userinfo)
  const given = port === '' ? '' : String(Number(port))
  const number = given === ports[protocol] ? '' : given
  const pathname = resolvePath(path!)
  const query = encode(search, escaped.query)
  const fragment = encode(hash, escaped.fragment)
  const credentials = `${username}${password && `:${password}`}`
  return {
    href: `${protocol}//${credentials && `${credentials}@`}${hostname}${number && `:${number}`}${pathname}${query}${fragment}`,
    protocol,
    username,
    password,
    hostname,
    port: number,
    pathname,
    search: query === '?' ? '' : query,
    hash: fragment === '#' ? '' : fragment
  }
}

export class URL {
  declare readonly href: string
  declare readonly protocol: string
  declare readonly username: string
  declare readonly password: string
  declare readonly hostname: string
  declare readonly port: string
  declare readonly pathname: string
  declare readonly search: string
  declare readonly hash: string

  constructor(input: string) {
    const parts = parse(String(input))
    if (!parts) throw Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input: String(input) })
    Object.assign(this, parts)
  }

  static canParse(input: string): boolean {
    return parse(String(input)) !== undefined
  }

  static parse(input: string): URL | null {
    return URL.canParse(input) ? new URL(input) : null
  }

  get host(): string {
    return this.port === '' ? this.hostname : `${this.hostname}:${this.port}`
  }

  get origin(): string {
    return `${this.protocol}//${this.host}`
  }

  toString(): string {
    return this.href
  }
}
