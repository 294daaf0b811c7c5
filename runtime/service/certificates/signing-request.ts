import { sign } from 'node:crypto'
import {
  critical,
  encodeAlternativeNames,
  encodeName,
  extension,
  keyPurposeIds,
  keyPurposes,
  keyUsageBits,
  keyUsages,
  ordinary,
  ownPurposes,
  type SigningRequest,
  sortAlternativeNames
} from '#data/certificates'
import * as der from '#runtime/base/der.ts'
import { pem } from '#runtime/base/pem.ts'
import { makeKeyPair, signatureAlgorithm } from './key-pair.ts'

const extensionRequest = '1.2.840.113549.1.9.14'

/**
 * A new key and a request, signed with it, for a certificate of it (PKCS #10, RFC 2986).
 *
 * @returns both as PEM
 * @throws RangeError for a name that a certificate cannot hold
 */
export async function signingRequest(wish: SigningRequest): Promise<{ key: string; request: string }> {
  const subject = encodeName(wish.subject)
  const extensions = requestedExtensions(wish)
  const { privateKey, publicKey } = await makeKeyPair(wish.kind, wish.bits)
  const information = der.sequence(
    der.integer(Uint8Array.of(0)),
    subject,
    publicKey,
    der.explicit(0, der.sequence(der.oid(extensionRequest), der.set(extensions)))
  )
  const signature = der.bitString(sign('sha256', information, privateKey))
  const request = der.sequence(information, signatureAlgorithm[wish.kind], signature)
  return { key: privateKey, request: pem('CERTIFICATE REQUEST', request) }
}

function requestedExtensions({ subject, alternativeNames, kind, keyUsage }: SigningRequest): Uint8Array {
  const names = [...new Set([subject.commonName, ...alternativeNames])].filter((name) => /^[!-~]+$/.test(name))
  const needed = kind === 'RSA' ? ['DigitalSignature', 'KeyEncipherment'] : ['DigitalSignature']
  const wanted = keyUsage?.filter((each) => (keyUsages as readonly string[]).includes(each)) ?? []
  const usage = wanted.length > 0 ? wanted : needed
  const asked = keyUsage?.filter((each) => Object.values(keyPurposes).includes(each)) ?? []
  // Without the first the service could not serve with it.
  const purposes = asked.length > 0 ? ['ServerAuthentication', ...asked] : ownPurposes
  return der.sequence(
    critical(extension.keyUsage, keyUsageBits(usage.map((each) => (keyUsages as readonly string[]).indexOf(each)))),
    ordinary(extension.extKeyUsage, keyPurposeIds(purposes)),
    ...(names.length > 0
      ? [ordinary(extension.subjectAltName, encodeAlternativeNames(sortAlternativeNames(names)))]
      : [])
  )
}
