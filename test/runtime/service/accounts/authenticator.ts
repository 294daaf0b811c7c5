import { createHmac } from 'node:crypto'

/** The bytes of a key in base32 (RFC 4648, section 6). */
export function keyOf(secret: string): Buffer {
  const digits = [...secret].map((digit) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit))
  const bits = digits.map((digit) => digit.toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}

/** The code that a user's authenticator shows (RFC 6238). @param secret base32 @param now milliseconds since 1970 */
export function codeOf(secret: string, now: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 30_000)))
  const hash = createHmac('sha1', keyOf(secret)).update(counter).digest()
  const number = hash.readUInt32BE(hash[19]! & 15) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}
