/** Whether both have the same bytes. A plain loop: in the binary a call for each byte takes many times as long. */
export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  const { length } = left
  if (length !== right.length) return false
  for (let at = 0; at < length; at += 1) if (left[at] !== right[at]) return false
  return true
}
