import { createHash, createHmac, sign } from 'node:crypto'
import { fromBase64, toBase64, utf8 } from '#runtime/base/bytes.ts'
import * as der from '#runtime/base/der.ts'
import { makeKeyPair } from '../certificates/key-pair.ts'

/** The key of an account, for P-256. */
export interface AccountKey {
  /** PEM. */
  readonly privateKey: string
  /** The coordinates of the public half, base64url. */
  readonly x: string
  readonly y: string
}

/** base64url without padding (RFC 4648, section 5), as JSON Web Signatures have all bytes. */
export function base64url(bytes: Uint8Array | string): string {
  const text = toBase64(typeof bytes === 'string' ? utf8(bytes) : bytes)
  return text.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_')
}

export async function makeAccountKey(): Promise<AccountKey> {
  const { privateKey, publicKey } = await makeKeyPair('EC')
  // SubjectPublicKeyInfo ends with the uncompressed point (RFC 5480, section 2.2).
  const point = publicKey.subarray(-64)
  return { privateKey, x: base64url(point.subarray(0, 32)), y: base64url(point.subarray(32)) }
}

/** The public half (RFC 7517), its members in the order of {@link thumbprint}. */
export const jwk = ({ x, y }: AccountKey) => ({ crv: 'P-256', kty: 'EC', x, y })

/** RFC 7638. */
export const thumbprint = (key: AccountKey) => base64url(sha256(JSON.stringify(jwk(key))))

export const sha256 = (text: string): Uint8Array => createHash('sha256').update(text).digest()

/** A flattened JSON Web Signature (RFC 7515, section 7.2.2) with ES256. @param payload empty: POST-as-GET */
export function signed(key: AccountKey, header: object, payload: object | ''): string {
  return written({ alg: 'ES256', ...header }, payload, (input) => rawSignature(sign('sha256', input, key.privateKey)))
}

/** The proof that the owner of another account, with a MAC key, is that of `key` (RFC 8555, section 7.3.4). */
export function externalBinding(key: AccountKey, url: string, keyId: string, macKey: string): object {
  const secret = fromBase64(padded(macKey.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')))
  const mac = (input: Uint8Array) => createHmac('sha256', secret).update(input).digest()
  return JSON.parse(written({ alg: 'HS256', kid: keyId, url }, jwk(key), mac))
}

const padded = (text: string) => text.padEnd(Math.ceil(text.length / 4) * 4, '=')

function written(header: object, payload: object | '', seal: (input: Uint8Array) => Uint8Array): string {
  const head = base64url(JSON.stringify(header))
  const body = payload === '' ? '' : base64url(JSON.stringify(payload))
  return JSON.stringify({ protected: head, payload: body, signature: base64url(seal(utf8(`${head}.${body}`))) })
}

/** Both numbers of an ECDSA signature, 32 bytes each (RFC 7518, section 3.4), from DER. */
function rawSignature(signature: Uint8Array): Uint8Array {
  const raw = new Uint8Array(64)
  der.children(der.read(signature)).forEach(({ content }, index) => {
    const number = content.subarray(-32)
    raw.set(number, 32 * (index + 1) - number.length)
  })
  return raw
}
