import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { isPrivateKey, type PemBlock, pem } from '#runtime/base/pem.ts'
import { fail } from '#runtime/contract'
import { rsaBits } from './schemas.ts'

/** The forms of a certificate's key that clients may send: PKCS #8 (RFC 5958), SEC 1 (RFC 5915), PKCS #1 (RFC 8017). */
const forms: readonly string[] = ['PRIVATE KEY', 'EC PRIVATE KEY', 'RSA PRIVATE KEY']

const [fewestBits, mostBits] = [Math.min(...rsaBits), Math.max(...rsaBits)]

/** A private key that a client sent. */
export interface PrivateKey {
  readonly pem: string
  /** Whether a certificate (DER) is of this key. */
  fits(certificate: Uint8Array): boolean
}

/**
 * The private key among the blocks of a PEM text; undefined if they have none.
 *
 * @throws MessageError 400 that says why a TLS server cannot use it; it does not repeat any of it
 */
export function privateKeyIn(blocks: readonly PemBlock[]): PrivateKey | undefined {
  const [block, ...others] = blocks.filter(isPrivateKey)
  if (block === undefined) return undefined
  if (others.length > 0) refuse('there is more than one')
  if (block.isEncrypted || block.label === 'ENCRYPTED PRIVATE KEY') fail(400, 'Mgmt.PrivateKeyEncrypted')
  if (!forms.includes(block.label)) refuse(unknown)
  const text = pem(block.label, block.bytes ?? refuse('the PEM is damaged or cut short'))
  const key = read(text)
  return { pem: text, fits: (certificate) => new X509Certificate(certificate).checkPrivateKey(key) }
}

const refuse = (reason: string) => fail(400, 'Mgmt.PrivateKeyNotAccepted', reason)
const unknown = `it is neither for P-256 or P-384 nor for RSA of ${fewestBits} to ${mostBits} bits`

function read(text: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(text)
  } catch {
    // The hosts do not say alike whether a key is damaged or of another kind.
    return refuse(`it cannot be read, or ${unknown}`)
  }
  const { asymmetricKeyType: kind, asymmetricKeyDetails: { namedCurve = '', modulusLength: bits = 0 } = {} } = key
  if (kind === 'rsa' && bits < fewestBits) refuse(`it is RSA with ${bits} bits, and ${fewestBits} are needed`)
  const isKnown = kind === 'rsa' ? bits <= mostBits : kind === 'ec' && ['prime256v1', 'secp384r1'].includes(namedCurve)
  return isKnown ? key : refuse(unknown)
}
