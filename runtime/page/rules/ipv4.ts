/** A static IPv4 address as a port takes it (DSP0268, IPv4Address). */
export interface StaticAddress {
  readonly Address: string
  readonly SubnetMask: string
  readonly Gateway: string | null
}

/** The invalid field in a form for a static address. */
export type WrongField = 'address' | 'mask' | 'gateway'

/** A static address from what was entered: `192.0.2.7/24`, or the address and its mask apart. */
export function staticAddress(address: string, mask: string, gateway: string): StaticAddress | WrongField {
  const [, Address = '', length] = /^([^/]*)(?:\/(\d{1,2}))?$/.exec(address.trim()) ?? []
  if (!isIpv4(Address) || Number(length ?? 1) < 1 || Number(length ?? 1) > 32) return 'address'
  const SubnetMask = length === undefined ? mask.trim() : maskOf(Number(length))
  if (!isIpv4(SubnetMask)) return 'mask'
  if (gateway.trim() === '') return { Address, SubnetMask, Gateway: null }
  return isIpv4(gateway.trim()) ? { Address, SubnetMask, Gateway: gateway.trim() } : 'gateway'
}

function isIpv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)
}

/** The mask of an address such as `192.0.2.7/24`; undefined without a prefix length, empty for a wrong one. */
export function maskAfter(address: string): string | undefined {
  const [, length] = /\/(\d*)$/.exec(address.trim()) ?? []
  if (length === undefined) return undefined
  return Number(length) >= 1 && Number(length) <= 32 ? maskOf(Number(length)) : ''
}

/** The mask whose first bits, so many, are ones. */
function maskOf(length: number): string {
  const bits = 2 ** 32 - 2 ** (32 - length)
  return [24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256).join('.')
}
