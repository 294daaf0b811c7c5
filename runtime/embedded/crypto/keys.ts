/** Keys of `node:crypto`: for P-256, P-384 and RSA, and no other. */
import native, { type Bytes, type Key, type Kind } from 'minnow:crypto'
import { pem } from '#data/certificates'

function failure(kind: ErrorConstructor, code: string, message: string): Error {
  return Object.assign(new kind(message), { code })
}

const curves: Readonly<Record<string, { kind: Kind; name: string }>> = {
  'P-256': { kind: 'P-256', name: 'prime256v1' },
  prime256v1: { kind: 'P-256', name: 'prime256v1' },
  'P-384': { kind: 'P-384', name: 'secp384r1' },
  secp384r1: { kind: 'P-384', name: 'secp384r1' }
}

/** A key whose bytes stay in C, where those of a private one are overwritten when it is collected. */
export class KeyObject {
  readonly type: 'private' | 'public'
  /** @internal */
  readonly handle: Key
  #description: ReturnType<typeof native.describeKey> | undefined

  /** @internal */
  constructor(type: 'private' | 'public', handle: Key) {
    this.type = type
    this.handle = handle
  }

  get asymmetricKeyType(): 'ec' | 'rsa' {
    return this.#described.kind === 'rsa' ? 'rsa' : 'ec'
  }

  /** The curve by the name that OpenSSL has for it, or the bits of an RSA key. */
  get asymmetricKeyDetails(): { namedCurve: string } | { modulusLength: number } {
    const { kind, bits } = this.#described
    return kind === 'rsa' ? { modulusLength: bits } : { namedCurve: curves[kind]!.name }
  }

  /** A public key as SPKI; a private one stays where it is. */
  export(options: { type: 'spki'; format: 'der' }): Uint8Array
  export(options: { type: 'spki'; format: 'pem' }): string
  export({ type, format }: { type: 'spki'; format: 'der' | 'pem' }): Uint8Array | string {
    if (this.type !== 'public' || type !== 'spki') {
      throw failure(TypeError, 'ERR_INVALID_ARG_VALUE', "The property 'options.type' is invalid: only 'spki'")
    }
    if (format !== 'der' && format !== 'pem') {
      throw failure(TypeError, 'ERR_INVALID_ARG_VALUE', "The property 'options.format' is invalid")
    }
    return format === 'der' ? this.#described.spki : pem('PUBLIC KEY', this.#described.spki)
  }

  get #described(): ReturnType<typeof native.describeKey> {
    this.#description ??= native.describeKey(this.handle)
    return this.#description
  }
}

/** @internal The key, if it is of this type. */
export function wanted(type: 'private' | 'public', key: KeyObject): KeyObject {
  if (key.type === type) return key
  const message = `Invalid key object type ${key.type}, expected ${type}.`
  throw failure(TypeError, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', message)
}

/** Reads an unencrypted private key: PEM (SEC 1, PKCS#1, PKCS#8). */
export const createPrivateKey = (text: Bytes): KeyObject => new KeyObject('private', native.privateKey(text))

/** The public half of a private key (an object or PEM), or a public key that is read: SPKI as PEM or DER. */
export function createPublicKey(key: Bytes | KeyObject | { key: Uint8Array; format: 'der'; type: 'spki' }): KeyObject {
  if (key instanceof KeyObject) {
    return new KeyObject('public', native.publicKey(native.describeKey(wanted('private', key).handle).spki))
  }
  const bytes = typeof key === 'string' || key instanceof Uint8Array ? key : key.key
  return new KeyObject('public', native.publicKey(bytes))
}

interface KeyPairOptions {
  namedCurve?: string
  modulusLength?: number
  publicKeyEncoding: { type: 'spki'; format: 'der' }
  privateKeyEncoding: { type: 'sec1' | 'pkcs1' | 'pkcs8'; format: 'pem' }
}

const invalid = (message: string) => failure(TypeError, 'ERR_INVALID_ARG_VALUE', message)

/** The kind of a key, and its bits. */
function kindOf(type: 'ec' | 'rsa', { namedCurve = '', modulusLength }: KeyPairOptions): [kind: Kind, bits: number] {
  if (type === 'ec') {
    const curve = curves[namedCurve]
    if (!curve) throw failure(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name')
    return [curve.kind, 0]
  }
  if (type !== 'rsa') throw invalid("The argument 'type' must be 'ec' or 'rsa'")
  if (![2048, 3072, 4096].includes(modulusLength ?? 0)) {
    throw failure(RangeError, 'ERR_OUT_OF_RANGE', 'The modulus has 2048, 3072 or 4096 bits')
  }
  return ['rsa', modulusLength!]
}

/**
 * A key pair for P-256, P-384 or RSA, made on the worker pool. The public half is SPKI as DER, the private half PEM:
 * PKCS#8, or SEC 1 for a curve and PKCS#1 for RSA.
 */
export function generateKeyPair(
  type: 'ec' | 'rsa',
  options: KeyPairOptions,
  callback: (error: Error | null, publicKey?: Uint8Array, privateKey?: string) => void
): void {
  const [kind, bits] = kindOf(type, options)
  const { publicKeyEncoding: spki, privateKeyEncoding: encoding } = options
  if (spki?.type !== 'spki' || spki.format !== 'der') throw invalid('The public key is given as SPKI in DER only')
  if (encoding?.format !== 'pem') throw invalid('The private key is given in PEM only')
  if (![type === 'ec' ? 'sec1' : 'pkcs1', 'pkcs8'].includes(encoding.type)) {
    throw invalid(`The private key of a pair '${type}' is not given as '${encoding.type}'`)
  }
  native.generateKey(kind, bits, encoding.type === 'pkcs8').then(
    (pair) => callback(null, pair.publicKey, pair.privateKey),
    (error) => callback(error)
  )
}
