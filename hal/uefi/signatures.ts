import { HalError } from '../errors.ts'
import { guidBytes, readGuid } from './guid.ts'

const ownerSize = 16
const listHeaderSize = 28

/**
 * Types of signatures (UEFI 2.10, 32.4.1) by a short name: the GUID, and the bytes of one without its owner, where that
 * is fixed. The hashes of certificates have the time of revocation behind them.
 */
export const signatureTypes = {
  x509: { guid: 'a5c059a1-94e4-4aa7-87b5-ab155c2bf072', size: undefined },
  sha1: { guid: '826ca512-cf10-4ac9-b187-be01496631bd', size: 20 },
  sha256: { guid: 'c1c41626-504c-4092-aca9-41f936934328', size: 32 },
  sha384: { guid: 'ff3e5307-9fd0-48c9-85f1-8ad56c701e01', size: 48 },
  sha512: { guid: '093e0fae-a6c4-4f50-9f1b-d41e2b89c19a', size: 64 },
  rsa2048: { guid: '3c5766e8-269c-4e34-aa14-ed776e85b3b6', size: 256 },
  x509Sha256: { guid: '3bd2a492-96c0-4079-b420-fcf98ef103ed', size: 48 },
  x509Sha384: { guid: '7076876e-80c2-4ee6-aad2-28b349a6865b', size: 64 },
  x509Sha512: { guid: '446dbf63-2502-4cda-bcfa-2465d2b0fe9d', size: 80 }
} as const satisfies Record<string, { guid: string; size: number | undefined }>

const sizes: ReadonlyMap<string, number | undefined> = new Map(
  Object.values(signatureTypes).map(({ guid, size }) => [guid, size])
)

/** One entry of a signature database. */
export interface Signature {
  /** GUID: one of {@link signatureTypes}, or another one that is kept as it is. */
  readonly type: string
  /** GUID of whoever has put it there. */
  readonly owner: string
  /** The certificate (DER), the digest, and so on. */
  readonly data: Uint8Array
}

/**
 * The entries of a database: a concatenation of EFI_SIGNATURE_LIST (UEFI 2.10, 32.4.1).
 *
 * @throws {HalError} `EINVAL` with the offset of what is no such list
 */
export function readSignatures(bytes: Uint8Array): Signature[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const signatures: Signature[] = []
  let offset = 0
  while (offset < bytes.length) {
    const refuse = (reason: string) => new HalError('EINVAL', `signature list at ${offset}: ${reason}`)
    if (offset + listHeaderSize > bytes.length) throw refuse('cut off in its header')
    const type = readGuid(bytes, offset)
    const [listSize, headerSize, size] = [16, 20, 24].map((place) => view.getUint32(offset + place, true)) as Sizes
    if (listSize < listHeaderSize || offset + listSize > bytes.length) throw refuse(`its size is ${listSize}`)
    if (headerSize !== 0) throw refuse(`it has a header of ${headerSize} bytes, which none of the types has`)
    if (size <= ownerSize || (listSize - listHeaderSize) % size) throw refuse(`its signatures have ${size} bytes`)
    const known = sizes.get(type)
    if (known !== undefined && size !== ownerSize + known) throw refuse(`signatures of ${size} bytes of type ${type}`)
    for (let place = offset + listHeaderSize; place < offset + listSize; place += size) {
      const data = bytes.slice(place + ownerSize, place + size)
      signatures.push({ type, owner: readGuid(bytes, place), data })
    }
    offset += listSize
  }
  return signatures
}

type Sizes = [list: number, header: number, signature: number]

/**
 * A database with these entries, in their order: a list for each certificate, one for all digests of a type in a row.
 * No entries are no bytes: the variable then has to be deleted.
 *
 * @throws {HalError} `EINVAL` for a digest of the wrong size, or an entry without data
 */
export function writeSignatures(signatures: readonly Signature[]): Uint8Array {
  const lists: Signature[][] = []
  for (const signature of signatures) {
    const { type, data } = signature
    const known = sizes.get(type)
    if (data.length === 0 || (known !== undefined && data.length !== known)) {
      throw new HalError('EINVAL', `a signature of type ${type} cannot have ${data.length} bytes`)
    }
    const list = lists.at(-1)
    if (known !== undefined && list?.[0]?.type === type) list.push(signature)
    else lists.push([signature])
  }
  const sizeOf = (list: readonly Signature[]) => listHeaderSize + list.length * (ownerSize + list[0]!.data.length)
  const bytes = new Uint8Array(lists.reduce((sum, list) => sum + sizeOf(list), 0))
  let offset = 0
  for (const list of lists) {
    writeList(bytes.subarray(offset, offset + sizeOf(list)), list)
    offset += sizeOf(list)
  }
  return bytes
}

function writeList(bytes: Uint8Array, list: readonly Signature[]): void {
  const { type, data } = list[0]!
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const size = ownerSize + data.length
  bytes.set(guidBytes(type))
  view.setUint32(16, bytes.length, true)
  view.setUint32(24, size, true)
  list.forEach((signature, i) => {
    bytes.set(guidBytes(signature.owner), listHeaderSize + i * size)
    bytes.set(signature.data, listHeaderSize + i * size + ownerSize)
  })
}

/** Whether two entries say the same, whoever has put them there. */
export function sameSignature(left: Signature, right: Signature): boolean {
  return (
    left.type === right.type &&
    left.data.length === right.data.length &&
    left.data.every((byte, i) => byte === right.data[i])
  )
}
