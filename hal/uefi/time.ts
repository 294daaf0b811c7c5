import { sameBytes, viewOf } from '#runtime/base/bytes.ts'
import { HalError } from '../errors.ts'

/** Bytes of an EFI_TIME. */
const timeSize = 16

/**
 * Reads an EFI_TIME (UEFI 2.10, 8.3) as a variable's timestamp has it (8.2.6): UTC, whole seconds, all else zero.
 *
 * @returns undefined for 16 zeros: no time
 * @throws {HalError} `EINVAL` for what is no such time
 */
export function readTime(bytes: Uint8Array, offset = 0): Date | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, timeSize)
  const year = view.getUint16(0, true)
  const [month, day, hour, minute, second] = [2, 3, 4, 5, 6].map((place) => view.getUint8(place))
  const rest = view.getUint8(7) | view.getUint32(8, true) | view.getUint32(12, true)
  if (rest === 0 && year === 0 && !(month || day || hour || minute || second)) return undefined
  const time = new Date(Date.UTC(year, month! - 1, day!, hour!, minute!, second!))
  if (rest !== 0 || !sameBytes(timeBytes(time), bytes.subarray(offset, offset + timeSize))) {
    throw new HalError('EINVAL', `${year}-${month}-${day} ${hour}:${minute}:${second} is not a time in UTC`)
  }
  return time
}

/** The EFI_TIME of a moment, to the second; zeros for undefined. Years 1900 to 9999. */
export function timeBytes(time: Date | undefined): Uint8Array {
  const bytes = new Uint8Array(timeSize)
  if (!time) return bytes
  viewOf(bytes).setUint16(0, time.getUTCFullYear(), true)
  bytes.set(
    [time.getUTCMonth() + 1, time.getUTCDate(), time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()],
    2
  )
  return bytes
}
