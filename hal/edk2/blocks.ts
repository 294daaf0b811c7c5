import type { Flash } from '../flash.ts'

/** Of 32 bits. With a sign: an interpreter counts faster with small integers. */
const erasedWord = -1

/**
 * The bytes as words, for loops that an interpreter gets through quickly: their order within a word does not matter
 * here. Up to three bytes at the end are left out.
 */
function words(bytes: Uint8Array): Int32Array {
  const { buffer, byteOffset, length } = bytes.byteOffset % 4 ? bytes.slice() : bytes
  return new Int32Array(buffer, byteOffset, length >> 2)
}

/** Length of `bytes`, whole words, without those at the end that are erased. */
export function programmedLength(bytes: Uint8Array): number {
  const all = words(bytes)
  let count = all.length
  // Most of a store is free, and looked through often.
  while (count > 3 && (all[count - 1]! & all[count - 2]! & all[count - 3]! & all[count - 4]!) === erasedWord) count -= 4
  while (count > 0 && all[count - 1] === erasedWord) count -= 1
  return 4 * count
}

/**
 * Makes a block of the flash hold `bytes`, at the least cost: nothing for what already exists, and no erase where bits
 * only become 0.
 */
async function changeBlock(flash: Flash, offset: number, bytes: Uint8Array): Promise<void> {
  const old = words(flash.read(offset, bytes.length))
  const wanted = words(bytes)
  let first = wanted.length
  let end = 0
  let sets = false
  for (let i = 0; i < wanted.length; i += 1) {
    if (wanted[i] === old[i]) continue
    if (first > i) first = i
    end = i + 1
    // ~old & wanted: bits that would have to become 1.
    if ((~old[i]! & wanted[i]!) !== 0) sets = true
  }
  if (sets) {
    await flash.eraseAsync(offset, bytes.length)
    const length = programmedLength(bytes)
    if (length > 0) flash.program(offset, bytes.subarray(0, length))
  } else if (end > 0) flash.program(offset + 4 * first, bytes.subarray(4 * first, 4 * end))
}

/** Makes whole blocks of the flash hold `bytes`, the first one last: without it nothing else is found again. */
export async function changeBlocks(flash: Flash, offset: number, bytes: Uint8Array, blockSize: number): Promise<void> {
  for (let start = bytes.length - blockSize; start >= 0; start -= blockSize) {
    await changeBlock(flash, offset + start, bytes.subarray(start, start + blockSize))
  }
}

/** Whether all of `bytes` is 0xFF. */
export function isErased(bytes: Uint8Array): boolean {
  if (programmedLength(bytes) > 0) return false
  for (let i = bytes.length & ~3; i < bytes.length; i += 1) if (bytes[i] !== 0xff) return false
  return true
}

/** Programs a byte of flags or of a state, when all that it vouches for is safe. */
export function programFlags(flash: Flash, offset: number, flags: number): void {
  flash.sync()
  flash.program(offset, Uint8Array.of(flags))
}
