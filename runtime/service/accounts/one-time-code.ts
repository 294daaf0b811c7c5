import { createHmac } from 'node:crypto'
import { bytes, viewOf } from '#runtime/base/bytes.ts'

/** The hashes of one-time codes, by their names in the addresses of keys. */
export const algorithms = { SHA1: 'sha1', SHA256: 'sha256' } as const

/**
 * A one-time code of six digits (RFC 4226, section 5.3; RFC 6238, section 4).
 *
 * @param key hex
 * @param step the number of time steps since 1970
 */
export function oneTimeCode(key: string, step: number, algorithm: keyof typeof algorithms): string {
  const counter = new Uint8Array(8)
  viewOf(counter).setBigUint64(0, BigInt(step))
  const code = createHmac(algorithms[algorithm], bytes(key)).update(counter).digest()
  const offset = (code.at(-1) ?? 0) & 0xf
  const number = viewOf(code).getUint32(offset) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}
