import { pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { bytes, hex } from '#runtime/base/bytes.ts'

const scheme = 'pbkdf2-sha256'
const keyLength = 32

/** PBKDF2-HMAC-SHA-256 (RFC 8018) as `scheme$rounds$salt$hash`, hex. */
export async function slowHash(password: string, iterations: number): Promise<string> {
  const salt = randomBytes(16)
  const derived = await derive(password, salt, iterations)
  return `${scheme}$${iterations}$${hex(salt)}$${hex(derived)}`
}

/** A hash that no password has: checking an unknown user takes as long as checking a known one. */
export function decoyHash(iterations: number): string {
  return `${scheme}$${iterations}$${'00'.repeat(16)}$${'00'.repeat(keyLength)}`
}

/** Whether a password is the one that `slowHash` was given. Takes as long. */
export async function matchesHash(password: string, stored: string): Promise<boolean> {
  const [, rounds = '', salt = '', wanted = ''] = stored.split('$')
  const derived = await derive(password, bytes(salt), Number(rounds))
  return timingSafeEqual(derived, bytes(wanted))
}

function derive(password: string, salt: Uint8Array, iterations: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    pbkdf2(password, salt, iterations, keyLength, 'sha256', (error, key) => (error ? reject(error) : resolve(key)))
  })
}
