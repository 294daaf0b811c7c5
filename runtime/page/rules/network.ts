/** The items of a list, separated by commas, spaces or newlines. */
export const listIn = (text: string) => text.split(/[\s,]+/).filter((each) => each !== '')

/** How many bits of an IPv4 mask are ones: `24` of `255.255.255.0`. */
export function prefixOf(mask: string): number {
  return mask.split('.').reduce((bits, part) => bits + Number(part).toString(2).replaceAll('0', '').length, 0)
}

/** An IPv6 address with its prefix length as a port takes it, from `2001:db8::7/64`; undefined for other texts. */
export function ipv6Address(text: string): { readonly Address: string; readonly PrefixLength: number } | undefined {
  const [, Address, length] = /^([\dA-Fa-f:.]+)\/(\d{1,3})$/.exec(text) ?? []
  if (Address === undefined || !Address.includes(':') || Number(length) < 1 || Number(length) > 128) return undefined
  return { Address, PrefixLength: Number(length) }
}

/** The address of this page at another host; IPv6 addresses stand in brackets (RFC 3986 3.2.2). */
export function pageAt(host: string, port: string): string {
  return `https://${host.includes(':') ? `[${host}]` : host}${port === '' ? '' : `:${port}`}/`
}

/** The speed of a link. */
export function speedText(megabits: number | null | undefined): string {
  if (megabits == null) return ''
  return megabits < 1000 ? `${megabits} Mbit/s` : `${megabits / 1000} Gbit/s`
}
