import nacl from 'tweetnacl'
import type { SigningKey } from '#data/board'
import { type License, type LicenseClass, licenseClasses } from '#data/license'
import { fromBase64, strictUtf8Text, toBase64, utf8 } from '#runtime/base/bytes.ts'

/** The one header that license keys have (`{"alg":"EdDSA"}`): what else JSON Web Signatures allow is refused. */
const header = 'eyJhbGciOiJFZERTQSJ9'

/**
 * Reads a license key: a JSON Web Token (RFC 7519) signed with Ed25519 (RFC 8037). Its claims are `jti`, `class` and
 * `iat`; `sub`, the serial number of the system that it is for; and `exp`.
 *
 * @param signer the public key; without one no license is good
 * @returns undefined for one that is cut, changed, of another signer or no license
 */
export function readLicenseKey(key: string, signer: SigningKey | undefined): License | undefined {
  const text = key.trim()
  const [head, payload = '', signature = '', ...rest] = text.split('.')
  const known = decode(signer?.x ?? '')
  const signed = decode(signature)
  if (head !== header || rest.length > 0 || known?.length !== 32 || signed?.length !== 64) return undefined
  if (!nacl.sign.detached.verify(utf8(`${head}.${payload}`), signed, known)) return undefined
  return claims(text, decode(payload))
}

function claims(key: string, payload: Uint8Array | undefined): License | undefined {
  const { class: name, jti: id, sub: serial = null, iat: issued, exp: expires = null } = parse(payload)
  if (typeof name !== 'string' || !Object.hasOwn(licenseClasses, name) || typeof id !== 'string') return undefined
  if (!isSeconds(issued) || (expires !== null && !isSeconds(expires))) return undefined
  if (serial !== null && typeof serial !== 'string') return undefined
  return { key, class: name as LicenseClass, id, serial, issued, expires, ended: false }
}

const isSeconds = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Math.abs(value as number) < 2 ** 43

function parse(payload: Uint8Array | undefined): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(strictUtf8Text(payload))
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {}
  } catch {
    // The signer signed something that is no license.
    return {}
  }
}

/** The bytes of base64url (RFC 4648, section 5) without padding; of each text there is one encoding only. */
function decode(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length % 4 === 1) return undefined
  const data = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
  const again = toBase64(data).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  return again === text ? data : undefined
}
