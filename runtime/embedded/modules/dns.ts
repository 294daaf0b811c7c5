import client from 'minnow:client'

interface Address {
  readonly address: string
  readonly family: 4 | 6
}

/** The addresses of a host name, by c-ares. Node.js distinguishes failures; here they are one. */
export function lookup(
  host: string,
  _options: { readonly all: true },
  callback: (error: Error | null, addresses: Address[]) => void
): void {
  client.resolve(host, (addresses) => {
    const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' })
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? (6 as const) : (4 as const) }))
    callback(found.length === 0 ? error : null, found)
  })
}
