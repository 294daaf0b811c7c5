import { fail } from '#runtime/contract'

type Headers = Readonly<Record<string, string>>

/** Whether a browser sent a request: other clients send none of these. */
export function isFromBrowser({ origin, 'sec-fetch-site': site, referer }: Headers): boolean {
  return origin !== undefined || site !== undefined || referer !== undefined
}

/**
 * The origins (RFC 6454) of the service: its own, `https` and the host that a request names, and those of the reverse
 * proxies before it. Requests from pages of other origins are refused: the browser adds the credentials of its user to
 * them, a name and a password or a certificate.
 */
export class Origins {
  readonly #proxies: ReadonlySet<string>

  /** @param proxies their origins, with spaces between them */
  constructor(proxies: string) {
    this.#proxies = new Set(proxies.split(/\s+/).filter(Boolean).map(normalized))
  }

  /**
   * `Origin` decides, without it `Sec-Fetch-Site` (W3C Fetch Metadata), without both `Referer`. A page can set none of
   * them. An opaque origin, `null`, is foreign.
   *
   * @throws MessageError 403
   */
  check(headers: Headers): void {
    const { origin, 'sec-fetch-site': site, referer } = headers
    if (origin === undefined && site !== undefined) {
      if (site !== 'same-origin' && site !== 'none') refuse(site)
      return
    }
    const source = origin ?? (referer === undefined ? undefined : originOf(referer))
    if (source !== undefined && !this.#has(normalized(source), headers)) refuse(source)
  }

  #has(origin: string, { host = '' }: Headers): boolean {
    return origin === normalized(`https://${host}`) || this.#proxies.has(origin)
  }
}

function refuse(source: string): never {
  fail(403, 'Mgmt.CrossSiteRequest', source.slice(0, 256))
}

/** The part of a URL before its path. */
function originOf(url: string): string {
  return /^[a-z]+:\/\/[^/?#]*/i.exec(url)?.[0] ?? url
}

/** In small letters, and without the port where that is the scheme's own. */
function normalized(origin: string): string {
  return origin.toLowerCase().replace(/^(?:(https:.+):443|(http:.+):80)$/, '$1$2')
}
