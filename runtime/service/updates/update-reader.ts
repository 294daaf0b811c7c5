import { createHash } from 'node:crypto'
import nacl from 'tweetnacl'
import type { SigningKey } from '#data/board'
import { type Manifest, manifestSchema } from '#data/updates'
import { fromBase64, strictUtf8Text, utf8 } from '#runtime/base/bytes.ts'
import { walk } from '#runtime/schema'

/** A fault of an update file, in words for the client. */
export class UpdateFault extends Error {}

/** The first bytes of an update file: what it is, and the version of its format. */
const magic = utf8('UPDATE1\n')

const lengthSize = 4
const headSize = magic.length + lengthSize
const longestManifest = 16_384

/**
 * Reads an update file as its bytes come, and keeps none of them but the manifest. `docs/updates.md` says what the file
 * is made of. The signature is checked as soon as it is there, before any part.
 *
 * A file that does not begin as one is of a component's maker, where there is a component that takes such files: only the
 * component can read it.
 */
export class UpdateReader {
  readonly #key: Uint8Array | undefined
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
   * @param signer the maker's public key; without one no file with a signature is good
   * @param takesFiles whether a component takes the files of its maker
   */
  constructor(signer: SigningKey | undefined, takesFiles: boolean) {
    this.#key = signer === undefined ? undefined : keyOf(signer)
    this.#takesFiles = takesFiles
  }

  /** Once its signature was found good. */
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
    const known = Math.min(this.#filled, magic.length)
    for (let index = 0; index < known; index += 1) {
      if (this.#head[index] === magic[index]) continue
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

  /** The length of the manifest is known. */
  #makeRoom(): void {
    const length = new DataView(this.#head.buffer).getUint32(magic.length, true)
    if (length === 0 || length > longestManifest) throw new UpdateFault('its manifest is too long, or empty')
    const whole = new Uint8Array(headSize + length + nacl.sign.signatureLength)
    whole.set(this.#head)
    this.#head = whole
  }

  #readManifest(): void {
    const end = this.#head.length - nacl.sign.signatureLength
    const signed = this.#head.subarray(0, end)
    const good = this.#key !== undefined && nacl.sign.detached.verify(signed, this.#head.subarray(end), this.#key)
    if (!good) throw new UpdateFault('its signature is not from the manufacturer')
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

/** The 32 bytes of a key. */
function keyOf({ x }: SigningKey): Uint8Array | undefined {
  const bytes = fromBase64(x.replaceAll('-', '+').replaceAll('_', '/'))
  return bytes.length === 32 ? bytes : undefined
}
