import { bytes, hex } from '#runtime/base/bytes.ts'
import { HalError } from '../errors.ts'

const shape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Positions of the text's pairs of digits among the bytes, and the reverse: the first three groups are little endian. */
const places = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]

/** Whether `text` is a GUID as this program writes it: in lower case, without braces. */
export function isGuid(text: string): boolean {
  return shape.test(text)
}

/** The text, in lower case, of the 16 bytes at `offset` (UEFI 2.10, appendix A). */
export function readGuid(data: Uint8Array, offset = 0): string {
  const ordered = Uint8Array.from(places, (place) => data[offset + place]!)
  return hex(ordered).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The 16 bytes of a GUID. @throws {HalError} `EINVAL` unless {@link isGuid} */
export function guidBytes(text: string): Uint8Array {
  if (!isGuid(text)) throw new HalError('EINVAL', `${JSON.stringify(text)} is not a GUID in lower case`)
  const ordered = bytes(text.replaceAll('-', ''))
  return Uint8Array.from(places, (place) => ordered[place]!)
}
