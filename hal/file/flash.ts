import { closeSync, openSync, readSync } from 'node:fs'
import { HalError } from '../errors.ts'
import { checkRange, type Flash } from '../flash.ts'

/**
 * A file as a read-only flash, even while another process has it open. Only the bytes that are read are in memory.
 *
 * @throws Error of Node.js if the file cannot be opened
 */
export function fileFlash(path: string): Flash {
  const file = openSync(path, 'r')
  const size = sizeOf(file)
  const refuse = () => {
    throw new HalError('EROFS', `flash: ${path} is only read`)
  }
  return {
    kind: 'file',
    size,
    eraseSize: 1,
    writeSize: 1,
    read(offset, length) {
      checkRange({ size }, offset, length, 1)
      const bytes = new Uint8Array(length)
      for (let count = 0, at = 0; at < length; at += count) {
        count = readSync(file, bytes.subarray(at), { position: offset + at })
        if (count === 0) throw new HalError('EIO', `flash: ${path} has become shorter`)
      }
      return bytes
    },
    program: refuse,
    erase: refuse,
    eraseAsync: async () => refuse(),
    sync() {},
    close: () => closeSync(file)
  }
}

/** Looks for the end, since a device has no size that stat(2) would tell. In bytes; at most 4 GiB. */
function sizeOf(file: number): number {
  const byte = new Uint8Array(1)
  const reaches = (size: number) => readSync(file, byte, { position: size - 1 }) === 1
  let [least, beyond] = [0, 1]
  while (beyond <= 2 ** 32 && reaches(beyond)) [least, beyond] = [beyond, 2 * beyond]
  while (beyond - least > 1) {
    const middle = (least + beyond) / 2
    if (reaches(middle)) least = middle
    else beyond = middle
  }
  return least
}
