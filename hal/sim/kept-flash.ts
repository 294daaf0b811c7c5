import { existsSync, readFileSync } from 'node:fs'
import { replaceFile } from '#runtime/base/files.ts'
import { isErased, programmedLength } from '../edk2/blocks.ts'
import { HalError } from '../errors.ts'
import { checkRange, type Flash } from '../flash.ts'
import type { Keeper } from '../memory.ts'

const eraseSize = 4096

/** Blocks grow in steps of so many bytes: most have a few bytes at their beginning, and a fleet has thousands of them. */
const step = 256

/** Where the blocks of a chip that are not erased are kept, by their numbers. */
export interface Blocks {
  /**
   * Each without the erased bytes at its end, as far as these were not programmed.
   *
   * @throws {HalError} `EIO` when what is kept is damaged
   */
  load(): Map<number, Uint8Array>
  /** Keeps all of them; those of `changed` are not as they were, or erased. */
  save(blocks: ReadonlyMap<number, Uint8Array>, changed: ReadonlySet<number>): void
}

/**
 * A simulated chip without faults. It has memory only for what is programmed in its blocks, and keeps that as of the
 * last `sync`.
 *
 * @param size bytes; a multiple of 4096
 * @throws {HalError} `EIO` when what is kept is damaged
 */
export function keptFlash(size: number, kept: Blocks): Flash {
  const blocks = kept.load()
  const changed = new Set<number>()
  let isClosed = false

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
    exclusive: true,
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
    programmed(offset, length) {
      check()
      checkRange({ size }, offset, length, 1)
      let end = offset
      for (const [number, block] of blocks) {
        const start = number * eraseSize
        if (start < offset + length) end = Math.max(end, start + block.length)
      }
      return Math.min(end - offset, length)
    },
    program(offset, bytes) {
      check()
      checkRange({ size }, offset, bytes.length, 1)
      for (const { number, from, to } of parts(offset, bytes.length)) {
        const block = upTo(to, blocks.get(number))
        program(block.subarray(from, to), bytes.subarray(number * eraseSize + from - offset))
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
      if (changed.size > 0) kept.save(blocks, changed)
      changed.clear()
    },
    close() {
      check()
      isClosed = true
    }
  }
}

/** A block that has the bytes up to one of them. */
function upTo(end: number, block: Uint8Array = new Uint8Array(0)): Uint8Array {
  if (block.length >= end) return block
  const longer = new Uint8Array(Math.ceil(end / step) * step).fill(0xff)
  longer.set(block)
  return longer
}

/** Clears in `place` the bits that are 0 at the beginning of `bytes`. */
function program(place: Uint8Array, bytes: Uint8Array): void {
  if (isErased(place)) place.set(bytes.subarray(0, place.length))
  else for (let i = 0; i < place.length; i += 1) place[i]! &= bytes[i]!
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

/**
 * Each block as a text `<name>/<number>`, and a list of their numbers as `<name>`: for many machines in one process. A
 * variable is written by several syncs in a row; its texts are made once, when all of them are through.
 */
export function blocksIn(keeper: Keeper, name: string): Blocks {
  const waiting = new Set<number>()
  let synced: ReadonlyMap<number, Uint8Array> | undefined
  let listed = keeper.get(name)
  const keep = () => {
    if (synced === undefined) return
    for (const number of waiting) {
      const block = synced.get(number)
      if (block !== undefined) keeper.set(`${name}/${number}`, encode(block))
    }
    const numbers = JSON.stringify([...synced.keys()])
    if (numbers !== listed) keeper.set(name, numbers)
    listed = numbers
    waiting.clear()
    synced = undefined
  }
  return {
    load() {
      keep()
      return new Map(list(keeper.get(name)).map((number) => [number, decode(keeper.get(`${name}/${number}`))] as const))
    },
    save(blocks, changed) {
      if (synced === undefined) queueMicrotask(keep)
      synced = blocks
      for (const number of changed) waiting.add(number)
    }
  }
}

/**
 * The whole chip in one file, which a process killed at any moment leaves as it was or as it is to be.
 *
 * @param size bytes of the chip, and of the file
 */
export function blocksOf(file: string, size: number): Blocks {
  return {
    load() {
      const blocks = new Map<number, Uint8Array>()
      if (!existsSync(file)) return blocks
      const contents = attempt(() => readFileSync(file))
      if (contents.length !== size) throw new HalError('EIO', `${file}: ${contents.length} bytes, not ${size}`)
      for (let at = 0; at < size; at += eraseSize) {
        const block = contents.subarray(at, at + eraseSize)
        if (!isErased(block)) blocks.set(at / eraseSize, Uint8Array.from(block.subarray(0, programmedLength(block))))
      }
      return blocks
    },
    save(blocks) {
      const contents = new Uint8Array(size).fill(0xff)
      for (const [number, block] of blocks) contents.set(block, number * eraseSize)
      attempt(() => replaceFile(file, contents))
    }
  }
}

function attempt<T>(action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw new HalError('EIO', `flash: ${(error as Error).message}`, { cause: error })
  }
}

/** @throws {HalError} `EIO` for a text that is no list */
function list(text = '[]'): readonly number[] {
  if (!/^\[(?:\d+(?:,\d+)*)?\]$/.test(text)) throw new HalError('EIO', 'flash: the list of its blocks is damaged')
  return JSON.parse(text) as number[]
}

/** Base64 of what comes before the erased end. */
function encode(block: Uint8Array): string {
  return btoa(String.fromCharCode(...block.subarray(0, programmedLength(block))))
}

/** @throws {HalError} `EIO` for a text that is no block */
function decode(text: string | undefined): Uint8Array {
  const characters = attempt(() => atob(text ?? '-'))
  if (characters.length > eraseSize) throw new HalError('EIO', 'flash: a block is too long')
  const block = upTo(characters.length)
  for (let i = 0; i < characters.length; i += 1) block[i] = characters.charCodeAt(i)
  return block
}
