import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import nacl from 'tweetnacl'
import { replaceFile } from '#hal/files.ts'
import { bytes, hex } from '#runtime/contract'
import { log } from './log.ts'
import type { Loss } from './recovery.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Keeps what must be read again, and must not be readable in the store: headers of subscriptions, keytabs. Sealed with
 * XSalsa20-Poly1305 under a key of its own file, which a backup of the store does not hold.
 */
export class Secrets {
  readonly #key: Uint8Array
  /** What was lost at this start, where something was. */
  readonly loss: Loss | undefined

  private constructor(key: string, loss?: Loss) {
    this.#key = bytes(key)
    this.loss = loss
  }

  /**
   * The key is in two files, each with a line that vouches for it. Where one is damaged it is made again from the other;
   * where both are, they are set aside, and what was sealed before cannot be read.
   *
   * @param directory made, with a new key in it, where there is none; all of it is the owner's alone
   */
  static open(directory: string): Secrets {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const [file, copy] = [`${directory}/secrets.key`, `${directory}/secrets.key.copy`] as const
    const [first, second] = [read(file), read(copy)]
    const key = first.key ?? second.key
    const cause = `${file} ${first.text === undefined ? 'is not there' : 'holds no key'}`
    if (key !== undefined) {
      for (const [path, { text }] of [
        [file, first],
        [copy, second]
      ] as const) {
        if (text !== vouched(key)) attempt(() => replaceFile(path, vouched(key)))
      }
      return new Secrets(key, first.key === undefined ? { cause, from: 'copy', at: undefined } : undefined)
    }
    const isNew = first.text === undefined && second.text === undefined
    const made = hex(randomBytes(nacl.secretbox.keyLength))
    if (!isNew) attempt(() => renameSync(file, `${file}.damaged`))
    for (const path of [file, copy]) {
      if (isNew) replaceFile(path, vouched(made))
      else attempt(() => replaceFile(path, vouched(made)))
    }
    return new Secrets(made, isNew ? undefined : { cause, from: 'nothing', at: undefined, aside: `${file}.damaged` })
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

/** The text of a file, and the key in it when nothing speaks against it; a file from before has no line that vouches. */
function read(file: string): { text?: string; key?: string } {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return {}
    throw error
  }
  const [key = ''] = text.split('\n')
  const isKey = /^[0-9a-f]+$/.test(key) && key.length === 2 * nacl.secretbox.keyLength
  return isKey && (text === vouched(key) || text === `${key}\n`) ? { text, key } : { text }
}

function vouched(key: string): string {
  return `${key}\n${createHash('sha256').update(key).digest('hex')}\n`
}

/** What only matters at the next start is not to keep this one from going on. */
function attempt(work: () => void): void {
  try {
    work()
  } catch (error) {
    log('warning', 'a key was not stored', { cause: (error as Error).message })
  }
}
