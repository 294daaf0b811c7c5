import { viewOf } from './bytes.ts'
import { crc32 } from './crc32.ts'

/** The most bytes of a block that is not compressed (RFC 1951 3.2.4). */
const most = 65_535

/** A gzip file (RFC 1952) of bytes that are not compressed. The binary has no compressor, and the file stays in memory. */
export function stored(bytes: Uint8Array): Uint8Array {
  const blocks = Math.max(1, Math.ceil(bytes.length / most))
  const file = new Uint8Array(10 + bytes.length + 5 * blocks + 8)
  const view = viewOf(file)
  file.set([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
  let at = 10
  for (let index = 0; index < blocks; index += 1) {
    const block = bytes.subarray(index * most, (index + 1) * most)
    view.setUint8(at, index === blocks - 1 ? 1 : 0)
    view.setUint16(at + 1, block.length, true)
    view.setUint16(at + 3, ~block.length & 0xffff, true)
    file.set(block, at + 5)
    at += 5 + block.length
  }
  view.setUint32(at, crc32(bytes), true)
  view.setUint32(at + 4, bytes.length, true)
  return file
}
