import { createHash, sign } from 'node:crypto'
import {
  type AlternativeNames,
  critical,
  encodeAlternativeNames,
  encodeName,
  extension,
  keyPurposeIds,
  ordinary,
  ownPurposes
} from '#data/certificates'
import * as der from '#runtime/base/der.ts'
import { pem } from '#runtime/base/pem.ts'
import { makeKeyPair, signatureAlgorithm } from './key-pair.ts'

/** The input of a self-signed server certificate. */
export interface SelfSigned {
  /** The subject's common name, 1 to 64 characters (RFC 5280, ub-common-name). */
  commonName: string
  altNames: AlternativeNames
  /** Beyond those of every such certificate. */
  extensions?: readonly Uint8Array[]
  /** How long it is valid, a day before now included. */
  days?: number
  now: Date
  /** Random bytes, for the serial number. */
  random: (size: number) => Uint8Array
}

const oneDay = 86_400_000

/** The longest that clients accept: Apple's since 2019. */
export const longestValidity = 825

/**
 * A P-256 key and a certificate that it signed itself (X.509 v3, RFC 5280), for a TLS server that
 * is a client of its subscribers as well.
 *
 * @returns both as PEM, the key in its SEC 1 form (RFC 5915)
 * @throws RangeError for a name that a certificate cannot hold
 */
export async function selfSigned(wish: SelfSigned): Promise<{ key: string; cert: string }> {
  const name = encodeName({ commonName: wish.commonName })
  const names = encodeAlternativeNames(wish.altNames)
  const validity = validFor(wish.now, wish.days ?? longestValidity)
  const { privateKey, publicKey } = await makeKeyPair('EC')
  const certificate = der.sequence(
    der.explicit(0, der.integer(Uint8Array.of(2))),
    serialNumber(wish.random),
    signatureAlgorithm.EC,
    name,
    validity,
    name,
    publicKey,
    der.explicit(
      3,
      der.sequence(
        critical(extension.basicConstraints, der.sequence()),
        critical(extension.keyUsage, der.bitString(Uint8Array.of(0x80), 7)),
        ordinary(extension.extKeyUsage, keyPurposeIds(ownPurposes)),
        ordinary(extension.subjectKeyIdentifier, der.octetString(keyIdentifier(publicKey))),
        ...(wish.altNames.dns.length + wish.altNames.ip.length ? [ordinary(extension.subjectAltName, names)] : []),
        ...(wish.extensions ?? [])
      )
    )
  )
  const signature = sign('sha256', certificate, privateKey)
  return {
    key: privateKey,
    cert: pem('CERTIFICATE', der.sequence(certificate, signatureAlgorithm.EC, der.bitString(signature)))
  }
}

/** 16 random bytes, positive and without a leading zero, so that the number always has the same length. */
function serialNumber(random: SelfSigned['random']): Uint8Array {
  const bytes = Uint8Array.from(random(16))
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return der.integer(bytes)
}

/**
 * From a day before now, since clocks differ. A clock that was never set says nothing: then the certificate is valid
 * from 2020 on and has "no well-defined expiration date" (RFC 5280, section 4.1.2.5).
 */
function validFor(now: Date, days: number): Uint8Array {
  return now.getUTCFullYear() < 2020
    ? der.sequence(der.time(new Date('2020-01-01T00:00:00Z')), der.time(new Date('9999-12-31T23:59:59Z')))
    : der.sequence(...[-1, days - 1].map((day) => der.time(new Date(now.getTime() + day * oneDay))))
}

/** The leftmost 160 bits of the SHA-256 hash of the public key (RFC 7093, section 2, method 1). */
function keyIdentifier(publicKey: Uint8Array): Uint8Array {
  const bits = der.children(der.read(publicKey))[1]
  return createHash('sha256').update(bits!.content.subarray(1)).digest().subarray(0, 20)
}
