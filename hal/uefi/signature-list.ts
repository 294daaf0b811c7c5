import { concatenated, sameBytes, viewOf } from '#runtime/base/bytes.ts'
import { guidBytes, readGuid } from './guid.ts'

/** The kinds of signatures by their GUIDs (UEFI 2.10, 32.4.1), with their names in the standard. */
export const signatureTypes: Readonly<Record<string, string>> = {
  'a5c059a1-94e4-4aa7-87b5-ab155c2bf072': 'EFI_CERT_X509_GUID',
  'c1c41626-504c-4092-aca9-41f936934328': 'EFI_CERT_SHA256_GUID',
  'ff3e5307-9fd0-48c9-85f1-8ad56c701e01': 'EFI_CERT_SHA384_GUID',
  '093e0fae-a6c4-4f50-9f1b-d41e2b89c19a': 'EFI_CERT_SHA512_GUID',
  '826ca512-cf10-4ac9-b187-be01496631bd': 'EFI_CERT_SHA1_GUID',
  '3c5766e8-269c-4e34-aa14-ed776e85b3b6': 'EFI_CERT_RSA2048_GUID',
  '3bd2a492-96c0-4079-b420-fcf98ef103ed': 'EFI_CERT_X509_SHA256_GUID',
  '7076876e-80c2-4ee6-aad2-28b349a6865b': 'EFI_CERT_X509_SHA384_GUID',
  '446dbf63-2502-4cda-bcfa-2465d2b0fe9d': 'EFI_CERT_X509_SHA512_GUID'
}

/** The type of an X.509 certificate in DER. */
export const x509Type = 'a5c059a1-94e4-4aa7-87b5-ab155c2bf072'

/** The hashes that clients may enrol: their type and their bytes. */
export const hashTypes = {
  EFI_CERT_SHA256_GUID: { type: 'c1c41626-504c-4092-aca9-41f936934328', size: 32 },
  EFI_CERT_SHA384_GUID: { type: 'ff3e5307-9fd0-48c9-85f1-8ad56c701e01', size: 48 },
  EFI_CERT_SHA512_GUID: { type: '093e0fae-a6c4-4f50-9f1b-d41e2b89c19a', size: 64 }
} as const

/** An entry of a list (EFI_SIGNATURE_DATA), with the type of its list. */
export interface Signature {
  /** A GUID in lower case, as is the owner. */
  readonly type: string
  readonly owner: string
  readonly data: Uint8Array
}

/** EFI_SIGNATURE_LIST: entries of one type and size. The header, which no known type has, is kept as it is. */
export interface SignatureList {
  readonly type: string
  readonly header: Uint8Array
  readonly entries: readonly { readonly owner: string; readonly data: Uint8Array }[]
}

/** Bytes before the header: type, list size, header size, entry size. */
const prefix = 28
const ownerSize = 16

/**
 * The lists that a variable consists of.
 *
 * @returns the lists up to the first that is not sound, and whether all were
 */
export function readSignatureLists(bytes: Uint8Array): { lists: SignatureList[]; sound: boolean } {
  const lists: SignatureList[] = []
  const view = viewOf(bytes)
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length - at < prefix) return { lists, sound: false }
    const [size, headerSize, entrySize] = [16, 20, 24].map((place) => view.getUint32(at + place, true)) as [
      number,
      number,
      number
    ]
    const room = size - prefix - headerSize
    if (size > bytes.length - at || room < 0 || entrySize <= ownerSize || room % entrySize !== 0) {
      return { lists, sound: false }
    }
    const start = at + prefix + headerSize
    const entries = Array.from({ length: room / entrySize }, (_, index) => {
      const entry = start + index * entrySize
      return { owner: readGuid(bytes, entry), data: bytes.subarray(entry + ownerSize, entry + entrySize) }
    })
    lists.push({ type: readGuid(bytes, at), header: bytes.subarray(at + prefix, start), entries })
    at += size
  }
  return { lists, sound: true }
}

/** The bytes of a variable that consists of these lists. The entries of a list must be of one size. */
export function signatureListBytes(lists: readonly SignatureList[]): Uint8Array {
  return concatenated(
    lists.flatMap(({ type, header, entries }) => {
      const start = new Uint8Array(prefix)
      const view = viewOf(start)
      start.set(guidBytes(type))
      view.setUint32(16, prefix + header.length + entries.length * entrySize(entries), true)
      view.setUint32(20, header.length, true)
      view.setUint32(24, entrySize(entries), true)
      return [start, header, ...entries.flatMap(({ owner, data }) => [guidBytes(owner), data])]
    })
  )
}

/** Every entry. */
export function signaturesOf(lists: readonly SignatureList[]): Signature[] {
  return lists.flatMap(({ type, entries }) => entries.map((entry) => ({ type, ...entry })))
}

/** The lists with one entry more: certificates have a list each, hashes of one type share one. */
export function withSignature(lists: readonly SignatureList[], { type, owner, data }: Signature): SignatureList[] {
  const place = lists.findIndex(
    (list) =>
      type !== x509Type &&
      list.type === type &&
      list.header.length === 0 &&
      list.entries.every((each) => each.data.length === data.length)
  )
  if (place < 0) return [...lists, { type, header: new Uint8Array(), entries: [{ owner, data }] }]
  return lists.map((list, index) => (index === place ? { ...list, entries: [...list.entries, { owner, data }] } : list))
}

/** The lists without an entry, whoever owns it; a list that is empty then goes with it. */
export function withoutSignature(lists: readonly SignatureList[], { type, data }: Signature): SignatureList[] {
  return lists
    .map((list) =>
      list.type === type ? { ...list, entries: list.entries.filter((each) => !sameBytes(each.data, data)) } : list
    )
    .filter(({ entries }) => entries.length > 0)
}

/** A list without entries says the least that an entry can have. */
function entrySize(entries: SignatureList['entries']): number {
  return ownerSize + (entries[0]?.data.length ?? 1)
}
