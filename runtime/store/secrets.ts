import { createHash, randomBytes } from 'node:crypto'
import { renameSync } from 'node:fs'
import nacl from 'tweetnacl'
import { bytes, hex, utf8, utf8Text } from '#runtime/base/bytes.ts'
import { makeDirectory, replaceFile } from '#runtime/base/files.ts'
import { log } from '#runtime/base/log.ts'
import { Damage, readWhole } from './files.ts'
import type { Loss } from './recovery.ts'

/**
 * Keeps what must be read again, and must not be readable in the store: headers of subscriptions, keytabs. Sealed with
 * XSalsa20-Poly1305 under a key of its own file, which a backup of the store does not hold.
 */
export class Secrets {
  readonly #key: Uint8Array
  /** The loss at this start, where there was one. */
  readonly loss: Loss | undefined

  private constructor(key: string, loss?: Loss) {
    this.#key = bytes(key)
    this.loss = loss
  }

  /**
   * The key is in two files, each with a line that vouches for it. A damaged or missing one is made again from the other.
   * Where both are, there is a new key, and what was sealed before cannot be read.
   *
   * @param directory created if missing; only its owner may access it
   * @param isExpected whether a key was made before, so that a missing one is a loss
   * @throws the system's error when a first key cannot be kept
   */
  static open(directory: string, isExpected: boolean): Secrets {
    makeDirectory(directory)
    const files = [`${directory}/secrets.key`, `${directory}/secrets.key.copy`] as const
    const texts = files.map(read)
    const keys = texts.map((text) => (text === undefined ? undefined : keyIn(text)))
    const known = keys.find((each) => each !== undefined)
    const key = known ?? hex(randomBytes(nacl.secretbox.keyLength))
    const isLost = known === undefined && (isExpected || texts.some((text) => text !== undefined))
    files.forEach((file, index) => {
      const text = texts[index]
      if (text === vouched(key)) return
      try {
        if (text !== undefined && keys[index] === undefined) renameSync(file, `${file}.damaged`)
        replaceFile(file, vouched(key))
      } catch (error) {
        if (known === undefined && !isLost) throw error
        log.warning('a key was not stored', { cause: (error as Error).message })
      }
    })
    if (keys[0] !== undefined || !(known !== undefined || isLost)) return new Secrets(key)
    const cause = `${files[0]} ${texts[0] === undefined ? 'is not there' : 'is damaged'}`
    return new Secrets(key, { cause, source: known === undefined ? 'New' : 'Copy' })
  }

  /** Hex digits that only `open` of the same service makes the text of again. */
  seal(text: string): string {
    const nonce = new Uint8Array(randomBytes(nacl.secretbox.nonceLength))
    return hex(nonce) + hex(nacl.secretbox(utf8(text), nonce, this.#key))
  }

  /** @returns undefined for what this key did not seal */
  open(sealed: string): string | undefined {
    const all = bytes(sealed)
    const nonce = all.subarray(0, nacl.secretbox.nonceLength)
    if (nonce.length < nacl.secretbox.nonceLength) return undefined
    const opened = nacl.secretbox.open(all.subarray(nonce.length), nonce, this.#key)
    return opened === null ? undefined : utf8Text(opened)
  }
}

/** @returns undefined for a file that is not there; an empty text for one that the medium lost */
function read(file: string): string | undefined {
  try {
    return utf8Text(readWhole(file))
  } catch (error) {
    if (error instanceof Damage) return ''
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw error
  }
}

/** The key in a text; undefined if it is damaged. Texts of older versions have no checksum. */
function keyIn(text: string): string | undefined {
  const [key = ''] = text.split('\n')
  const isKey = /^[0-9a-f]+$/.test(key) && key.length === 2 * nacl.secretbox.keyLength
  return isKey && (text === vouched(key) || text === `${key}\n`) ? key : undefined
}

function vouched(key: string): string {
  return `${key}\n${createHash('sha256').update(key).digest('hex')}\n`
}
