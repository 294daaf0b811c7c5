/** The bytes of an IP address, 4 or 16; undefined for any other text. A zone (`%eth0`) is left out. */
export function ipBytes(text: string): number[] | undefined {
  return text.includes(':') ? ipv6(text) : ipv4(text)
}

/** The text of an IP address; IPv6 as RFC 5952 has it. @param bytes 4 or 16 */
export function ipText(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, at) => (bytes[2 * at]! * 256 + bytes[2 * at + 1]!).toString(16))
  const text = groups.join(':')
  const runs = text.match(/\b0(:0)+\b/g) ?? []
  const longest = runs.sort((a, b) => b.length - a.length)[0]
  return longest === undefined ? text : text.replace(new RegExp(`:?\\b${longest}\\b:?`), '::')
}

/** The bits of a prefix. @param mask in dotted decimals, of which the ones are the first bits */
export function prefixLengthOf(mask: string): number {
  return mask.split('.').reduce((sum, byte) => sum + Number(byte).toString(2).replaceAll('0', '').length, 0)
}

/** The mask of an IPv4 address, in dotted decimals. @param length of its prefix, 0 to 32 */
export function maskOf(length: number): string {
  return [0, 8, 16, 24].map((at) => 256 - 2 ** Math.max(0, 8 - Math.max(0, length - at))).join('.')
}

function ipv4(text: string): number[] | undefined {
  const parts = text.split('.')
  const fine = parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)
  return fine ? parts.map(Number) : undefined
}

/** RFC 4291, section 2.2; a zone has no meaning outside its host. */
function ipv6(text: string): number[] | undefined {
  const [head = '', tail, ...rest] = text.replace(/%.*$/, '').split('::')
  const first = groups(head, tail === undefined)
  const last = groups(tail ?? '', true)
  if (!first || !last || rest.length) return undefined
  if (tail === undefined) return first.length === 16 ? first : undefined
  const gap = 16 - first.length - last.length
  return gap >= 2 ? [...first, ...new Array<number>(gap).fill(0), ...last] : undefined
}

/** The bytes of what stands on one side of `::`; the address as a whole may end with one of IPv4. */
function groups(half: string, isLast: boolean): number[] | undefined {
  const bytes: number[] = []
  const parts = half === '' ? [] : half.split(':')
  for (const [index, part] of parts.entries()) {
    const tail = isLast && index === parts.length - 1 ? ipv4(part) : undefined
    if (tail) bytes.push(...tail)
    else if (/^[\da-f]{1,4}$/i.test(part)) bytes.push(Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255)
    else return undefined
  }
  return bytes
}
