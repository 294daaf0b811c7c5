import { HalError } from '../errors.ts'
import { checkRange, type Flash } from '../flash.ts'
import type { Keeper } from '../memory.ts'

const eraseSize = 4096

export interface KeptFlashOptions {
  /** Bytes; a multiple of 4096. */
  readonly size: number
  /** Each block that is not erased is kept as `<name>/<number>`, and a list of their numbers as `<name>`. */
  readonly name: string
  readonly keeper: Keeper
}

/**
 * A simulated chip for many machines in one process: it has memory only for blocks that are not erased, and keeps these
 * as texts, as of the last `sync`. Without faults.
 *
 * @throws {HalError} `EIO` when what is kept is damaged
 */
export function keptFlash({ size, name, keeper }: KeptFlashOptions): Flash {
  const blocks = new Map<number, Uint8Array>()
  const changed = new Set<number>()
  let isClosed = false
  for (const number of list(keeper.get(name))) blocks.set(number, decode(keeper.get(`${name}/${number}`)))

  const check = () => {
    if (isClosed) throw new HalError('ENODEV', 'flash: closed')
  }
  const erase = (offset: number, length: number) => {
    check()
    checkRange({ size }, offset, length, eraseSize)
    for (let at = offset; at < offset + length; at += eraseSize) {
      if (blocks.delete(at / eraseSize)) changed.add(at / eraseSize)
    }
  }
  return {
    kind: 'memory',
    size,
    eraseSize,
    writeSize: 1,
    read(offset, length) {
      check()
      checkRange({ size }, offset, length, 1)
      const bytes = new Uint8Array(length).fill(0xff)
      for (const { number, from, to } of parts(offset, length)) {
        const block = blocks.get(number)
        if (block !== undefined) bytes.set(block.subarray(from, to), number * eraseSize + from - offset)
      }
      return bytes
    },
    isErased(offset, length) {
      check()
      checkRange({ size }, offset, length, 1)
      for (const { number } of parts(offset, length)) if (blocks.has(number)) return false
      return true
    },
    program(offset, bytes) {
      check()
      checkRange({ size }, offset, bytes.length, 1)
      for (const { number, from, to } of parts(offset, bytes.length)) {
        const block = blocks.get(number) ?? new Uint8Array(eraseSize).fill(0xff)
        for (let i = from; i < to; i += 1) block[i]! &= bytes[number * eraseSize + i - offset]!
        blocks.set(number, block)
        changed.add(number)
      }
    },
    erase,
    async eraseAsync(offset, length) {
      erase(offset, length)
    },
    sync() {
      check()
      for (const number of changed) {
        const block = blocks.get(number)
        if (block !== undefined) keeper.set(`${name}/${number}`, encode(block))
      }
      if (changed.size > 0) keeper.set(name, JSON.stringify([...blocks.keys()]))
      changed.clear()
    },
    close() {
      check()
      isClosed = true
    }
  }
}

/** The parts of a range in each block. */
function* parts(offset: number, length: number) {
  for (let at = offset; at < offset + length; ) {
    const number = Math.floor(at / eraseSize)
    const from = at % eraseSize
    const to = Math.min(eraseSize, from + offset + length - at)
    yield { number, from, to }
    at += to - from
  }
}

/** @throws {HalError} `EIO` for a text that is no list */
function list(text = '[]'): readonly number[] {
  if (!/^\[(?:\d+(?:,\d+)*)?\]$/.test(text)) throw new HalError('EIO', 'flash: the list of its blocks is damaged')
  return JSON.parse(text) as number[]
}

/** By table, and without a call for each byte: hosts change variables often, and the binary has an interpreter. */
const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const values = new Map(pairs.map((pair, byte) => [pair, byte]))

/** Two hex digits for each byte up to the last that is not erased. */
function encode(block: Uint8Array): string {
  let end = block.length
  while (end > 0 && block[end - 1] === 0xff) end -= 1
  let digits = ''
  for (let i = 0; i < end; i += 1) digits += pairs[block[i]!]
  return digits
}

/** @throws {HalError} `EIO` for a text that is no block */
function decode(text: string | undefined): Uint8Array {
  if (text === undefined || text.length > 2 * eraseSize || !/^(?:[0-9a-f]{2})*$/.test(text))
    throw new HalError('EIO', 'flash: a block is damaged')
  const block = new Uint8Array(eraseSize).fill(0xff)
  for (let i = 0; i < text.length / 2; i += 1) block[i] = values.get(text.slice(2 * i, 2 * i + 2))!
  return block
}
