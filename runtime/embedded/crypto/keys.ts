/** Keys of `node:crypto`: for P-256, P-384 and RSA, and no other. */
import native, { type Bytes, type Key } from 'minnow:crypto'

/** A key whose bytes stay in C, where those of a private one are overwritten when it is collected. */
export class KeyObject {
  /** @internal */
  readonly handle: Key

  /** @internal */
  constructor(handle: Key) {
    this.handle = handle
  }

  get asymmetricKeyType(): 'ec' | 'rsa' {
    return native.describeKey(this.handle).kind === 'rsa' ? 'rsa' : 'ec'
  }

  /** The curve by the name that OpenSSL has for it, or the bits of an RSA key. */
  get asymmetricKeyDetails(): { namedCurve: string } | { modulusLength: number } {
    const { kind, bits } = native.describeKey(this.handle)
    if (kind === 'rsa') return { modulusLength: bits }
    return { namedCurve: kind === 'P-256' ? 'prime256v1' : 'secp384r1' }
  }
}

/** Reads an unencrypted private key: PEM (SEC 1, PKCS#1, PKCS#8). */
export const createPrivateKey = (text: Bytes): KeyObject => new KeyObject(native.privateKey(text))

interface KeyPairOptions {
  namedCurve?: string
  modulusLength?: number
  publicKeyEncoding: { type: 'spki'; format: 'der' }
  privateKeyEncoding: { type: 'sec1' | 'pkcs1'; format: 'pem' }
}

/** The bits of an RSA key, 0 for P-256. @throws TypeError for any other key or form */
function bitsOf(type: 'ec' | 'rsa', options: KeyPairOptions): number {
  const { namedCurve, modulusLength = 0, publicKeyEncoding: spki, privateKeyEncoding: encoding } = options
  const isKnown = spki?.type === 'spki' && spki.format === 'der' && encoding?.format === 'pem'
  if (isKnown && type === 'ec' && namedCurve === 'P-256' && encoding.type === 'sec1') return 0
  if (isKnown && type === 'rsa' && [2048, 3072, 4096].includes(modulusLength) && encoding.type === 'pkcs1')
    return modulusLength
  const known = 'P-256 as SEC 1, and RSA of 2048, 3072 or 4096 bits as PKCS#1, with SPKI in DER'
  throw Object.assign(new TypeError(`The binary makes ${known}`), { code: 'ERR_INVALID_ARG_VALUE' })
}

/**
 * A key pair for P-256 or RSA, made on the worker pool. The public half is SPKI as DER, the private half PEM: SEC 1 for a
 * curve and PKCS#1 for RSA.
 */
export function generateKeyPair(
  type: 'ec' | 'rsa',
  options: KeyPairOptions,
  callback: (error: Error | null, publicKey?: Uint8Array, privateKey?: string) => void
): void {
  native.generateKey(bitsOf(type, options)).then(
    (pair) => callback(null, pair.publicKey, pair.privateKey),
    (error) => callback(error)
  )
}
