/**
 * `node:crypto` in the binary: the part that the service uses, over Mbed TLS. Bytes are returned as plain
 * `Uint8Array`s, so callers take text from `digest(encoding)`.
 */

import native, { type Bytes, type Encoding } from 'minnow:crypto'
import { hex } from '#runtime/base/bytes.ts'

export { createPrivateKey, generateKeyPair } from '../crypto/keys.ts'
export { X509Certificate } from './x509.ts'

const algorithms = new Set(['sha1', 'sha256', 'sha384', 'sha512'])

function failure(kind: ErrorConstructor, code: string, message: string): Error {
  return Object.assign(new kind(message), { code })
}

export const randomBytes = (size: number): Uint8Array => native.random(size)

/** A UUID of version 4 (RFC 9562, section 5.4). */
export function randomUUID(): string {
  const bytes = native.random(16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export const timingSafeEqual = (a: Uint8Array, b: Uint8Array): boolean => native.equal(a, b)

/** The state of a hash lives in C, but for the usual one of a single string. */
class Digest {
  readonly #algorithm: string
  #state: ReturnType<typeof native.begin> | undefined
  #text: string | undefined
  #finished = false

  constructor(algorithm: string) {
    this.#algorithm = algorithm
  }

  update(data: Bytes): this {
    this.#assertOpen()
    if (!this.#state && this.#text === undefined && typeof data === 'string') {
      this.#text = data
    } else {
      native.update(this.#started(), data)
    }
    return this
  }

  digest(): Uint8Array
  digest(encoding: Encoding): string
  digest(encoding?: Encoding): string | Uint8Array {
    this.#assertOpen()
    this.#finished = true
    return this.#state ? native.finish(this.#state, encoding) : native.hash(this.#algorithm, this.#text ?? '', encoding)
  }

  #started(): ReturnType<typeof native.begin> {
    if (!this.#state) {
      this.#state = native.begin(this.#algorithm)
      if (this.#text !== undefined) native.update(this.#state, this.#text)
    }
    return this.#state
  }

  #assertOpen(): void {
    if (this.#finished) throw failure(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called')
  }
}

export function createHash(algorithm: string): Digest {
  if (!algorithms.has(algorithm)) throw new Error('Digest method not supported')
  return new Digest(algorithm)
}

/** HMAC (RFC 2104) of data that is given at once. */
export function createHmac(algorithm: string, key: Bytes) {
  if (!algorithms.has(algorithm)) throw failure(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${algorithm}`)
  return { update: (data: Bytes) => ({ digest: (): Uint8Array => native.hmac(algorithm, key, data) }) }
}

/** Derives a key on the worker pool. */
export function pbkdf2(
  password: Bytes,
  salt: Bytes,
  iterations: number,
  size: number,
  algorithm: string,
  callback: (error: Error | null, key?: Uint8Array) => void
): void {
  native.pbkdf2(password, salt, iterations, size, algorithm).then(
    (key) => callback(null, key),
    (error) => callback(error)
  )
}

/** HSS/LMS with one tree, `LMS_SHA256_M32_H10` (RFC 8554). @throws Error for a key of another kind */
export const verify = (
  _algorithm: null,
  data: Bytes,
  { key }: { key: Uint8Array; format: 'der'; type: 'spki' },
  signature: Uint8Array
): boolean => native.verifyLms(data, key, signature)

/** ECDSA (as DER) or RSA PKCS#1 v1.5, as the key is. */
export const sign = (algorithm: string, data: Bytes, key: Bytes): Uint8Array =>
  native.sign(algorithm, data, native.privateKey(key))
