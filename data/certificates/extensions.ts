import * as der from '#runtime/base/der.ts'
import { keyPurposes } from './schemas.ts'

/** Object identifiers of extensions (RFC 5280, section 4.2). */
export const extension = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extKeyUsage: '2.5.29.37'
} as const

/** An extension that whoever reads the certificate has to understand. */
export const critical = (id: string, value: Uint8Array) =>
  der.sequence(der.oid(id), der.boolean(true), der.octetString(value))

export const ordinary = (id: string, value: Uint8Array) => der.sequence(der.oid(id), der.octetString(value))

/** The value of ExtendedKeyUsage (RFC 5280, section 4.2.1.12) for purposes as Redfish names them. */
export function keyPurposeIds(purposes: readonly string[]): Uint8Array {
  const ids = Object.keys(keyPurposes).filter((id) => purposes.includes(keyPurposes[id] ?? ''))
  return der.sequence(...ids.map(der.oid))
}

/** The value of KeyUsage (RFC 5280, section 4.2.1.3): a named bit list, which ends with its last bit that is set. */
export function keyUsageBits(bits: readonly number[]): Uint8Array {
  const last = Math.max(...bits)
  const bytes = new Uint8Array(Math.floor(last / 8) + 1)
  for (const bit of bits) bytes[bit >> 3] = bytes[bit >> 3]! | (0x80 >> (bit & 7))
  return der.bitString(bytes, 7 - (last & 7))
}
