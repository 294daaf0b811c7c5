import { SettingsError } from '#data/configuration'

/** An IP address as a number. An IPv4 address that is written as IPv6 counts as IPv4. */
export interface Address {
  readonly family: 4 | 6
  readonly value: bigint
}

/** The address in a text; undefined for any other text. */
export function parseAddress(text: string): Address | undefined {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(text) ?? []
  const four = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(mapped ?? text)
  if (four !== null) {
    const octets = four.slice(1).map(Number)
    if (octets.some((octet) => octet > 255)) return undefined
    return { family: 4, value: octets.reduce((value, octet) => value * 256n + BigInt(octet), 0n) }
  }
  if (!/^[\da-f:]*:[\da-f:]*$/i.test(text)) return undefined
  const [left = '', right, ...more] = text.split('::')
  const [before, after] = [left, right ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [
    string[],
    string[]
  ]
  const missing = 8 - before.length - after.length
  if (more.length > 0 || (right === undefined ? missing !== 0 : missing < 1)) return undefined
  const groups = [...before, ...Array<string>(missing).fill('0'), ...after]
  if (groups.some((group) => !/^[\da-f]{1,4}$/i.test(group))) return undefined
  return { family: 6, value: groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n) }
}

/** The text of an address, IPv6 as RFC 5952 has it. */
export function addressText({ family, value }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.')
  const groups = [7n, 6n, 5n, 4n, 3n, 2n, 1n, 0n].map((index) => ((value >> (index * 16n)) & 65_535n).toString(16))
  const text = groups.join(':')
  const zeros = [...text.matchAll(/(?:^|:)0(?::0)+(?=:|$)/g)].map(([match]) => match)
  const [longest] = zeros.sort((a, b) => b.length - a.length)
  if (longest === undefined) return text
  const at = text.indexOf(longest)
  return `${text.slice(0, at)}::${text.slice(at + longest.length + 1)}`
}

/**
 * The first address of so many in a network, which is the one after the address that is given.
 *
 * @param network an address, a slash and the length of the prefix
 * @param before how many addresses after that one belong to others
 * @throws SettingsError for an invalid one, or one with too few
 */
export function firstAddress(network: string, count: number, before = 0): Address {
  const [text = '', length = ''] = network.split('/')
  const address = parseAddress(text)
  const bits = address?.family === 4 ? 32 : 128
  if (address === undefined || Number(length) > bits) throw new SettingsError(`${network} is not a network`)
  const size = 1n << BigInt(bits - Number(length))
  const end = address.value - (address.value % size) + size
  const first = address.value + 1n + BigInt(before)
  // The last address of an IPv4 network is that of all its hosts.
  const left = end - first - (address.family === 4 ? 1n : 0n)
  if (left < BigInt(count))
    throw new SettingsError(`${network} has addresses for ${left < 0n ? 0n : left}, not for ${count}`)
  return { family: address.family, value: first }
}
