import { createHash, verify } from 'node:crypto'
import nacl from 'tweetnacl'
import type { Board, SigningKey } from '#data/board'
import { type Manifest, manifestSchema } from '#data/updates'
import { fromBase64, strictUtf8Text, utf8 } from '#runtime/base/bytes.ts'
import { walk } from '#runtime/schema'

/** A fault of an update file, in words for the client. */
export class UpdateFault extends Error {}

/** The keys of the maker that a board has: one for each signature that it requires. */
export type UpdateKeys = Pick<Board, 'updateKey' | 'updateKeyLms'>

/** The first bytes of an update file, which tell its signatures: Ed25519; Ed25519 and LMS. */
const magics = [utf8('UPDATE1\n'), utf8('UPDATE2\n')] as const

const magicSize = magics[0].length
const lengthSize = 4
const headSize = magicSize + lengthSize
const longestManifest = 16_384
/** Of HSS with one tree, `LMS_SHA256_M32_H10` and `LMOTS_SHA256_N32_W8` (RFC 8554, section 6). */
const lmsSignatureSize = 1456

/**
 * Reads an update file as its bytes come, and keeps none of them but the manifest. `docs/updates.md` says what the file
 * is made of. The signatures are checked as soon as they are there, before any part.
 *
 * A file that does not begin as one is of a component's maker, where there is a component that takes such files: only the
 * component can read it.
 */
export class UpdateReader {
  readonly #key: Uint8Array | undefined
  readonly #lmsKey: Uint8Array | undefined
  /** Of the manifest and what goes before it: what there is of it. */
  #head = new Uint8Array(headSize)
  #filled = 0
  #manifest: Manifest | undefined
  #part = 0
  #left = 0
  #digest = createHash('sha256')
  readonly #takesFiles: boolean
  /** Whether it is a file of a component's maker, and how long it is so far. */
  #isMakers = false
  #length = 0

  /**
   * @param keys without one for Ed25519 no file with a signature is good; with one for LMS a second one is required
   * @param takesFiles whether a component takes the files of its maker
   */
  constructor({ updateKey, updateKeyLms }: UpdateKeys, takesFiles: boolean) {
    this.#key = updateKey === undefined ? undefined : keyOf(updateKey)
    this.#lmsKey = updateKeyLms === undefined ? undefined : fromBase64(updateKeyLms)
    this.#takesFiles = takesFiles
  }

  /** Once its signatures were found good. */
  get manifest(): Manifest | undefined {
    return this.#manifest
  }

  /** Where the parts begin in the file, in bytes; known with the manifest. */
  get partsAt(): number {
    return this.#head.length
  }

  /** @throws UpdateFault as soon as the file is seen not to be good; nothing may be added then */
  add(bytes: Uint8Array): void {
    let rest = bytes
    while (rest.length > 0) rest = this.#next(rest)
  }

  /** @throws UpdateFault if the file ends too early */
  end(): Manifest {
    if (this.#isMakers) this.#manifest ??= this.#makers()
    else if (this.#manifest === undefined || this.#part < this.#manifest.parts.length) {
      throw new UpdateFault(this.#filled === 0 ? 'it is empty' : 'it ends too early')
    }
    return this.#manifest
  }

  #next(bytes: Uint8Array): Uint8Array {
    if (this.#isMakers) return this.#addMakers(bytes)
    return this.#manifest === undefined ? this.#addHead(bytes) : this.#addPart(bytes)
  }

  #addMakers(bytes: Uint8Array): Uint8Array {
    this.#digest.update(bytes)
    this.#length += bytes.length
    return bytes.subarray(bytes.length)
  }

  #makers(): Manifest {
    const sha256 = this.#digest.digest('hex')
    return { version: sha256.slice(0, 16), parts: [{ name: 'file', length: this.#length, sha256 }] }
  }

  #addHead(bytes: Uint8Array): Uint8Array {
    const taken = bytes.subarray(0, this.#head.length - this.#filled)
    this.#head.set(taken, this.#filled)
    this.#filled += taken.length
    const known = Math.min(this.#filled, magicSize)
    if (!magics.some((magic) => this.#beginsWith(magic.subarray(0, known)))) {
      if (!this.#takesFiles) throw new UpdateFault('it is not an update file')
      this.#isMakers = true
      this.#addMakers(this.#head.subarray(0, this.#filled))
      return bytes.subarray(taken.length)
    }
    if (this.#filled === this.#head.length) {
      if (this.#head.length === headSize) this.#makeRoom()
      else this.#readManifest()
    }
    return bytes.subarray(taken.length)
  }

  #beginsWith(magic: Uint8Array): boolean {
    return magic.every((byte, index) => this.#head[index] === byte)
  }

  /** The length of the manifest is known. */
  #makeRoom(): void {
    const length = new DataView(this.#head.buffer).getUint32(magicSize, true)
    if (length === 0 || length > longestManifest) throw new UpdateFault('its manifest is too long, or empty')
    const whole = new Uint8Array(headSize + length + this.#signaturesSize)
    whole.set(this.#head)
    this.#head = whole
  }

  get #signaturesSize(): number {
    return nacl.sign.signatureLength + (this.#beginsWith(magics[1]) ? lmsSignatureSize : 0)
  }

  #readManifest(): void {
    const end = this.#head.length - this.#signaturesSize
    const [signed, signatures] = [this.#head.subarray(0, end), this.#head.subarray(end)]
    const signature = signatures.subarray(0, nacl.sign.signatureLength)
    const good = this.#key !== undefined && nacl.sign.detached.verify(signed, signature, this.#key)
    if (!good) throw new UpdateFault('its signature is not from the manufacturer')
    if (this.#lmsKey !== undefined) verifyLms(signed, signatures.subarray(signature.length), this.#lmsKey)
    this.#manifest = parse(signed.subarray(headSize))
    this.#left = this.#manifest.parts[0]?.length ?? 0
  }

  #addPart(bytes: Uint8Array): Uint8Array {
    const { parts } = this.#manifest!
    if (this.#left === 0) throw new UpdateFault('there are bytes after its end')
    const taken = bytes.subarray(0, this.#left)
    this.#digest.update(taken)
    this.#left -= taken.length
    if (this.#left === 0) {
      const { name, sha256 } = parts[this.#part]!
      if (this.#digest.digest('hex') !== sha256) throw new UpdateFault(`its part ${name} is damaged`)
      this.#digest = createHash('sha256')
      this.#part += 1
      this.#left = parts[this.#part]?.length ?? 0
    }
    return bytes.subarray(taken.length)
  }
}

/** @throws UpdateFault for what the maker signed and is no manifest */
function parse(bytes: Uint8Array): Manifest {
  let value: unknown
  try {
    value = JSON.parse(strictUtf8Text(bytes))
  } catch {
    throw new UpdateFault('its manifest is not JSON')
  }
  const [fault] = walk(manifestSchema, value, 'file').faults
  if (fault !== undefined)
    throw new UpdateFault(`its manifest has an error at ${fault.path.join('/') || 'its beginning'}`)
  const manifest = value as Manifest
  if (manifest.parts.length === 0) throw new UpdateFault('it has no parts')
  return manifest
}

/** @throws UpdateFault without a good signature, and on a host whose cryptography has no LMS */
function verifyLms(signed: Uint8Array, signature: Uint8Array, key: Uint8Array): void {
  if (signature.length === 0) throw new UpdateFault('it has no LMS signature, which this board requires')
  let good: boolean
  try {
    good = verify(null, signed, { key: key as Buffer, format: 'der', type: 'spki' }, signature)
  } catch {
    throw new UpdateFault('this host cannot verify its LMS signature, which this board requires')
  }
  if (!good) throw new UpdateFault('its LMS signature is not from the manufacturer')
}

/** The 32 bytes of a key. */
function keyOf({ x }: SigningKey): Uint8Array | undefined {
  const bytes = fromBase64(x.replaceAll('-', '+').replaceAll('_', '/'))
  return bytes.length === 32 ? bytes : undefined
}
