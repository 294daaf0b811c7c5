import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import nacl from 'tweetnacl'
import { replaceFile } from '#hal/files.ts'
import { bytes, hex } from '#runtime/contract'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Keeps what must be read again, and must not be readable in the store: headers of subscriptions, keytabs. Sealed with
 * XSalsa20-Poly1305 under a key of its own file, which a backup of the store does not hold.
 */
export class Secrets {
  readonly #key: Uint8Array

  private constructor(key: Uint8Array) {
    this.#key = key
  }

  /** @param directory made, with a new key in it, where there is none; both are the owner's alone */
  static open(directory: string): Secrets {
    const file = `${directory}/secrets.key`
    if (!existsSync(file)) {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      replaceFile(file, `${hex(randomBytes(nacl.secretbox.keyLength))}\n`)
    }
    const key = bytes(readFileSync(file, 'utf8').trim())
    if (key.length !== nacl.secretbox.keyLength) throw new Error(`${file} holds no key`)
    return new Secrets(key)
  }

  /** Hex digits that only `open` of the same service makes the text of again. */
  seal(text: string): string {
    const nonce = new Uint8Array(randomBytes(nacl.secretbox.nonceLength))
    return hex(nonce) + hex(nacl.secretbox(encoder.encode(text), nonce, this.#key))
  }

  /** @returns undefined for what this key did not seal */
  open(sealed: string): string | undefined {
    const all = bytes(sealed)
    const nonce = all.subarray(0, nacl.secretbox.nonceLength)
    if (nonce.length < nacl.secretbox.nonceLength) return undefined
    const opened = nacl.secretbox.open(all.subarray(nonce.length), nonce, this.#key)
    return opened === null ? undefined : decoder.decode(opened)
  }
}
