import { gunzipSync } from 'fflate'
import { concatenated, utf8Text, viewOf } from '#runtime/base/bytes.ts'

/** A file of what is recorded. */
export interface SourceFile {
  /** From the top of the folder or archive, with slashes. */
  readonly name: string
  /** @throws Error if it cannot be read, or is too large */
  read(): Uint8Array
}

/** The most bytes of an archive when it is unpacked, and of a file in it. */
const longestAll = 268_435_456
const longest = 8_388_608

const block = 512
const damaged = () => new Error('it is damaged, or cut off')

/**
 * The files in an archive: tar in gzip, or zip. Nothing is written to the disk.
 *
 * @throws Error for what is no archive, is damaged or too large, or has a name that leads out of it
 */
export function filesInArchive(bytes: Uint8Array): SourceFile[] {
  if (bytes.length > longestAll) throw new Error(`it has more than ${longestAll} bytes`)
  const files = isZip(bytes) ? filesInZip(bytes) : filesInTar(unpacked(bytes, longestAll))
  return files.map(({ name, read }) => ({ name: inside(name), read }))
}

/** @throws Error for a name that leads out of the archive */
function inside(name: string): string {
  const segments = name.replaceAll('\\', '/').split('/')
  if (segments[0] === '' || segments.includes('..')) throw new Error(`${name} leads out of the archive`)
  return segments.filter((each) => each !== '.').join('/')
}

/** A gzip file's content (RFC 1952). The size at its end bounds the memory. @throws Error */
function unpacked(file: Uint8Array, most: number): Uint8Array {
  if (file[0] !== 0x1f || file[1] !== 0x8b) throw new Error('it is neither a .tar.gz nor a .zip')
  if (file.length < 18) throw damaged()
  const size = viewOf(file).getUint32(file.length - 4, true)
  if (size > most) throw new Error(`it is cut off, or has more than ${most} bytes`)
  const content = attempt(() => gunzipSync(file))
  if (content.length !== size) throw damaged()
  return content
}

function attempt<T>(read: () => T): T {
  try {
    return read()
  } catch {
    throw damaged()
  }
}

/** Files of a tar archive (POSIX.1-2024, pax), also with the long names of GNU's. */
function filesInTar(bytes: Uint8Array): SourceFile[] {
  const files: SourceFile[] = []
  let long: string | undefined
  for (let at = 0; at < bytes.length; ) {
    const header = bytes.subarray(at, at + block)
    if (header.length < block) throw damaged()
    if (header.every((byte) => byte === 0)) break
    const text = (from: number, length: number) => utf8Text(header.subarray(from, from + length)).replace(/\0.*$/s, '')
    const octal = (from: number, length: number) => Number.parseInt(text(from, length).trim(), 8)
    const sum = header.reduce((all, byte, index) => all + (index >= 148 && index < 156 ? 32 : byte), 0)
    const size = octal(124, 12)
    if (octal(148, 8) !== sum || !(size >= 0) || at + block + size > bytes.length) throw damaged()
    const content = bytes.subarray(at + block, at + block + size)
    at += block + Math.ceil(size / block) * block
    const type = text(156, 1)
    if (type === 'L') long = utf8Text(content).replace(/\0.*$/s, '')
    else if (type === 'x') long = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(utf8Text(content))?.[1]
    else {
      const prefix = text(257, 5) === 'ustar' ? text(345, 155) : ''
      const name = long ?? (prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`)
      long = undefined
      if (type === '0' || type === '') files.push({ name, read: () => bounded(content) })
    }
  }
  return files
}

function bounded(content: Uint8Array): Uint8Array {
  if (content.length > longest) throw new Error(`it has more than ${longest} bytes`)
  return content
}

const isZip = (bytes: Uint8Array) => bytes[0] === 0x50 && bytes[1] === 0x4b
const signature = { end: 0x06054b50, central: 0x02014b50, local: 0x04034b50 }

/** Files of a zip archive (APPNOTE.TXT 6.3.10), as its central directory lists them. */
function filesInZip(bytes: Uint8Array): SourceFile[] {
  const view = viewOf(bytes)
  const word = (at: number) => view.getUint16(at, true)
  const long = (at: number) => view.getUint32(at, true)
  let end = bytes.length - 22
  while (end >= 0 && end >= bytes.length - 65_557 && long(end) !== signature.end) end -= 1
  if (end < 0 || long(end) !== signature.end) throw damaged()
  let left = longestAll
  return attempt(() => {
    const files: SourceFile[] = []
    let at = long(end + 16)
    for (let count = word(end + 10); count > 0; count -= 1) {
      if (long(at) !== signature.central) throw damaged()
      const [flags, method] = [word(at + 8), word(at + 10)]
      const [crc, packed, size] = [long(at + 16), long(at + 20), long(at + 24)]
      const [nameLength, extra, comment] = [word(at + 28), word(at + 30), word(at + 32)]
      const local = long(at + 42)
      const name = utf8Text(bytes.subarray(at + 46, at + 46 + nameLength))
      at += 46 + nameLength + extra + comment
      const from = local + 30 + word(local + 26) + word(local + 28)
      if (long(local) !== signature.local || from + packed > bytes.length) throw damaged()
      const read = () => {
        left -= size
        if (size > longest || left < 0) throw new Error(`it has more than ${longest} bytes, or all files too many`)
        if ((flags & 1) !== 0 || (method !== 0 && method !== 8)) throw new Error('it is encrypted, or packed otherwise')
        const content = bytes.subarray(from, from + packed)
        if (method === 8) return unpacked(inGzip(content, crc, size), longest)
        return content
      }
      if (!name.endsWith('/')) files.push({ name, read })
    }
    return files
  })
}

/** A file of a zip archive is packed as in gzip, which both hosts unpack. The binary compares the CRC-32 as well. */
function inGzip(packed: Uint8Array, crc: number, size: number): Uint8Array {
  const trailer = new Uint8Array(8)
  viewOf(trailer).setUint32(0, crc, true)
  viewOf(trailer).setUint32(4, size, true)
  return concatenated([Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255), packed, trailer])
}
