import { networkInterfaces } from 'node:os'
import { ipBytes } from '#runtime/base/ip.ts'

/** An address of an interface of this machine that is up. */
export interface OwnAddress {
  /** As sockets take it: one of a link alone has its interface with it, `fe80::1%eth0`. */
  readonly address: string
  readonly netmask: string
  /** Its interface. */
  readonly name: string
  readonly internal: boolean
  /** It means something on the link of its interface only (RFC 4291 2.5.6). */
  readonly isLinkLocal: boolean
}

/** @param listens the address that the service listens on: only who can be reached there is found */
export function ownAddresses(listens: string): readonly OwnAddress[] {
  return all().filter(({ address }) => isAnyOf(listens, address) || isSame(listens, address))
}

/** Whether an address stands for every one of the family of another; `::` does for all. */
function isAnyOf(listens: string, address: string): boolean {
  return listens === '::' || (listens === '0.0.0.0' && !address.includes(':'))
}

function isSame(one: string, other: string): boolean {
  return String(ipBytes(one)) === String(ipBytes(other))
}

function all(): readonly OwnAddress[] {
  try {
    return Object.entries(networkInterfaces()).flatMap(([name, each = []]) =>
      each.map(({ address, netmask, internal, family, scopeid }) => {
        const isLinkLocal = family === 'IPv6' && scopeid !== 0
        return { address: isLinkLocal ? `${address}%${name}` : address, netmask, name, internal, isLinkLocal }
      })
    )
  } catch {
    return []
  }
}
