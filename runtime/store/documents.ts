/** The files made at build time, each compressed with gzip. */
export interface Documents {
  /** The file's compressed bytes, which stay the archive's own. */
  get(name: string): Uint8Array | undefined
  readonly names: readonly string[]
}

/**
 * Reads the archive that `runtime/build/documents.mjs` writes, without copying: four bytes (little-endian) with the
 * length of the index; the index, JSON, `[name, length]` of each file; then the files, in that order.
 *
 * @throws RangeError when the bytes are no such archive
 */
export function openDocuments(bytes: Uint8Array): Documents {
  const header = bytes.byteLength < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  const files = new Map<string, Uint8Array>()
  let offset = 4 + header
  if (offset > bytes.byteLength) throw new RangeError('the archive of documents is cut short')
  const index = new TextDecoder().decode(bytes.subarray(4, offset))
  for (const [name, length] of JSON.parse(index || '[]') as [string, number][]) {
    files.set(name, bytes.subarray(offset, offset + length))
    offset += length
  }
  if (offset !== bytes.byteLength) throw new RangeError('the archive of documents is damaged')
  return { get: (name) => files.get(name), names: [...files.keys()] }
}
