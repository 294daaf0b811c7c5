import { utf8Text, viewOf } from '#runtime/base/bytes.ts'
import type { Document } from '#runtime/contract'

/** The path of the revision of all documents, for those that are not from the build. */
export const documentsPath = 'documents/'

/** The files made at build time, and attribute registries that are made of what a firmware tells. */
export interface Documents {
  /** A file, whose bytes stay the archive's own. */
  get(name: string): Document | undefined
  readonly names: readonly string[]
}

/**
 * Reads the archive that `runtime/build/documents.mjs` writes, without copying: four bytes (little-endian) with the
 * length of the index; the index, JSON, `[name, length, entity tag]` of each file; then the files, in that order.
 *
 * @throws RangeError when the bytes are no such archive
 */
export function openDocuments(bytes: Uint8Array): Documents {
  const header = bytes.byteLength < 4 ? 0 : viewOf(bytes).getUint32(0, true)
  const files = new Map<string, Document>()
  let offset = 4 + header
  if (offset > bytes.byteLength) throw new RangeError('the archive of documents is cut short')
  const index = utf8Text(bytes.subarray(4, offset))
  for (const [name, length, tag] of JSON.parse(index || '[]') as [string, number, string][]) {
    files.set(name, { gzip: bytes.subarray(offset, offset + length), tag })
    offset += length
  }
  if (offset !== bytes.byteLength) throw new RangeError('the archive of documents is damaged')
  return { get: (name) => files.get(name), names: [...files.keys()] }
}
