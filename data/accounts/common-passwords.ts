import data from './common-passwords.json' with { type: 'json' }

/** Bits of the filter, a power of two, and how many of them each password has. */
const size = 65_536
const each = 10

/**
 * Whether a password is one of those that many people have: those of `common-passwords.json`, whichever letters are capital.
 * That is a Bloom filter, so that one of about 750 others is taken for common as well.
 */
export function isCommonPassword(password: string): boolean {
  return places(password).every((place) => (byteOfFilter(place >> 3) >> (place & 7)) & 1)
}

/** Four characters of base64 are three bytes: the filter is large, and few of its bytes are asked for. */
function byteOfFilter(at: number): number {
  const from = 4 * Math.floor(at / 3)
  return atob(data.filter.slice(from, from + 4)).charCodeAt(at % 3)
}

/** The filter of a list. */
export function commonPasswordFilter(passwords: readonly string[]): Uint8Array {
  const bits = new Uint8Array(size / 8)
  for (const place of passwords.flatMap(places)) bits[place >> 3] = (bits[place >> 3] as number) | (1 << (place & 7))
  return bits
}

/** The places of a password's bits: as many as there are, so far apart as a second hash says (Kirsch and Mitzenmacher, 2006). */
function places(password: string): number[] {
  const text = password.toLowerCase()
  const first = hash(text, 0x811c9dc5)
  const step = hash(text, first) | 1
  return Array.from({ length: each }, (_, index) => (first + index * step) & (size - 1))
}

/** FNV-1a of the text's UTF-16 units, and one more round of mixing, as the lowest bits of it alone are used. */
function hash(text: string, seed: number): number {
  let sum = seed
  for (let index = 0; index < text.length; index += 1) sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193)
  sum = Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d)
  return (sum ^ (sum >>> 13)) >>> 0
}
