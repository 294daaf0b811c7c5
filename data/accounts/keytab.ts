import { fromBase64, isBase64, viewOf } from '#runtime/base/bytes.ts'

/**
 * Whether a text is a keytab in base64: the file format of MIT Kerberos, version 2, which begins with 05 02, with at
 * least one entry in it.
 *
 * @param most bytes
 */
export function isKeytab(base64: string, most: number): boolean {
  if (!isBase64(base64)) return false
  const bytes = fromBase64(base64)
  if (bytes.length > most || bytes[0] !== 5 || bytes[1] !== 2) return false
  return entries(viewOf(bytes)) > 0
}

/** The number of entries, each after its length (negative: a hole); 0 when the lengths do not add up. */
function entries(file: DataView): number {
  let count = 0
  let offset = 2
  while (offset + 4 <= file.byteLength) {
    const length = file.getInt32(offset)
    if (length === 0) break
    if (length > 0) count += 1
    offset += 4 + Math.abs(length)
  }
  return offset > file.byteLength ? 0 : count
}
