/**
 * Whether a text is a keytab in base64: the file format of MIT Kerberos, version 2, which begins with 05 02, with at
 * least one entry in it.
 *
 * @param most bytes
 */
export function isKeytab(base64: string, most: number): boolean {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return false
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  if (bytes.length > most || bytes[0] !== 5 || bytes[1] !== 2) return false
  return entries(new DataView(bytes.buffer)) > 0
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
