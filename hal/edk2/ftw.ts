import { viewOf } from '#runtime/base/bytes.ts'
import { crc32 } from '#runtime/base/crc32.ts'
import type { Flash } from '../flash.ts'
import { guidBytes } from '../uefi/guid.ts'
import { changeBlocks, isErased, programFlags } from './blocks.ts'
import { volumeHeaderSize } from './headers.ts'
import { type Layout, workGuid } from './layout.ts'

/**
 * EDK II's fault-tolerant write (Guid/SystemNvDataGuid.h, Guid/FaultTolerantWrite.h, FaultTolerantWriteDxe): the new
 * content of some blocks is written to the spare blocks first, then to its place. The working block is a journal that
 * says how far that has got. Flags are active low, as a flash wants it.
 */

/** EFI_FAULT_TOLERANT_WORKING_BLOCK_HEADER. */
const workHeaderSize = 32
const workState = 0x14
const workValid = 0xfe

/** EFI_FAULT_TOLERANT_WRITE_HEADER and …_RECORD. */
const writeHeaderSize = 40
const recordSize = 40
const allocated = 0xfe
const writesAllocated = 0xfc
const complete = 0xf8
const spareComplete = 0xfd
const destinationComplete = 0xf9

/** EFI_CALLER_ID of EDK II's own driver for the runtime, so that it takes a write of ours for its own. */
const caller = '470cb248-e8ac-473c-bb4f-81069a1fe6fd'

/**
 * A rewriting of the variable store whose new content is wholly in the spare blocks, and maybe not yet in its place.
 * The volume's header goes with it, since whole blocks are copied.
 */
export interface PendingWrite {
  readonly headerOffset: number
  readonly recordOffset: number
}

/** The fields of a working block. Offsets from its beginning. */
export interface Journal {
  readonly pending: PendingWrite | undefined
  /** Offset of the next entry; without meaning when the block is unclean. */
  readonly end: number
  /** The reason why the block must be made anew before use: it is scratch space, so nothing is lost. */
  readonly unclean: string | undefined
  /** The reason why the store is damaged: the pending write contradicts itself. */
  readonly fault: string | undefined
}

/** Of a new working block. */
export const emptyJournal: Journal = { pending: undefined, end: workHeaderSize, unclean: undefined, fault: undefined }

/** A new working block's header. */
export function buildWorkHeader(layout: Layout): Uint8Array {
  const bytes = new Uint8Array(workHeaderSize).fill(0xff)
  const view = viewOf(bytes)
  bytes.set(guidBytes(workGuid))
  view.setBigUint64(0x18, BigInt(layout.workSize - workHeaderSize), true)
  view.setUint32(0x10, crc32(bytes), true)
  bytes[workState] = workValid
  return bytes
}

/** Reads a working block. */
export function readJournal(bytes: Uint8Array, layout: Layout): Journal {
  const at = (offset: number) => `0x${(layout.workOffset + offset).toString(16)}`
  const header = buildWorkHeader(layout)
  const wrong = header.findIndex((byte, i) => bytes[i] !== byte)
  if (wrong >= 0)
    return { ...emptyJournal, unclean: `${at(wrong)}: the header of the working block is not what it must be` }
  const view = viewOf(bytes)
  let offset = workHeaderSize
  while (offset + writeHeaderSize + recordSize <= bytes.length && (view.getUint8(offset) & 1) === 0) {
    const size = entrySize(view, offset)
    if (offset + size > bytes.length) {
      if (!isErased(bytes.subarray(offset + writeHeaderSize))) {
        return { ...emptyJournal, fault: `${at(offset)}: the header of a write has sizes that cannot be` }
      }
      return { ...emptyJournal, unclean: `${at(offset)}: a write that was not begun wholly` }
    }
    const flags = view.getUint8(offset)
    offset += size
    if ((flags & 4) === 0) continue
    const entry = { ...emptyJournal, end: offset, unclean: `${at(offset - size)}: a write that was not ended` }
    const pending = pendingWrite(view, offset - size, size, layout)
    if (typeof pending === 'string') return { ...entry, fault: `${at(offset - size)}: ${pending}` }
    return { ...entry, pending }
  }
  if (isErased(bytes.subarray(offset))) return { ...emptyJournal, end: offset }
  return { ...emptyJournal, end: offset, unclean: `${at(offset)}: the rest of the working block is not erased` }
}

/** Bytes of a write's header and all its records; Infinity for what cannot be. */
function entrySize(view: DataView, offset: number): number {
  const writes = Number(view.getBigUint64(offset + 24, true))
  const privateSize = Number(view.getBigUint64(offset + 32, true))
  const size = writeHeaderSize + writes * (recordSize + privateSize)
  return writes >= 1 ? size : Number.POSITIVE_INFINITY
}

/** The first record without its destination; undefined if the spare blocks are not complete either. */
function pendingWrite(
  view: DataView,
  headerOffset: number,
  size: number,
  layout: Layout
): PendingWrite | string | undefined {
  const step = recordSize + Number(view.getBigUint64(headerOffset + 32, true))
  let recordOffset = headerOffset + writeHeaderSize
  while (recordOffset < headerOffset + size && (view.getUint8(recordOffset) & 4) === 0) recordOffset += step
  if (recordOffset === headerOffset + size || (view.getUint8(recordOffset) & 2) !== 0) return undefined
  const wanted = new DataView(buildEntry(layout).buffer, writeHeaderSize)
  for (const [place, what] of recordFields) {
    const found = view.getBigInt64(recordOffset + place, true)
    const right = wanted.getBigInt64(place, true)
    if (found !== right) return `a half done write has the ${what} ${found}, not ${right} as the variable store's`
  }
  return { headerOffset, recordOffset }
}

const recordFields = [
  [8, 'first block'],
  [16, 'offset'],
  [24, 'length'],
  [32, 'relative offset']
] as const

/** Makes the working block anew. Nothing may be pending. */
export async function renewJournal(flash: Flash, layout: Layout): Promise<Journal> {
  const bytes = new Uint8Array(layout.workSize).fill(0xff)
  bytes.set(buildWorkHeader(layout))
  await changeBlocks(flash, layout.workOffset, bytes, layout.blockSize)
  return emptyJournal
}

/** The contents of the store after a pending write. */
export function readSpare(flash: Flash, layout: Layout): Uint8Array {
  return flash.read(layout.spareOffset, layout.storeSize)
}

/** Ends a pending write: `bytes` are what {@link readSpare} gave. */
export async function finish(flash: Flash, layout: Layout, write: PendingWrite, bytes: Uint8Array): Promise<void> {
  await changeBlocks(flash, layout.offset, bytes, layout.blockSize)
  programFlags(flash, layout.workOffset + write.recordOffset, destinationComplete)
  programFlags(flash, layout.workOffset + write.headerOffset, complete)
}

/**
 * Replaces the volume's header and the store by `bytes`, so that a power cut leaves the old or the new.
 *
 * @returns the journal after it
 */
export async function replace(flash: Flash, layout: Layout, journal: Journal, bytes: Uint8Array): Promise<Journal> {
  const size = writeHeaderSize + recordSize
  const { end } = journal.unclean || journal.end + size > layout.workSize ? await renewJournal(flash, layout) : journal
  const write = { headerOffset: end, recordOffset: end + writeHeaderSize }
  const entry = buildEntry(layout)
  // The flags come after the fields they are about.
  flash.program(layout.workOffset + end + 4, entry.subarray(4, writeHeaderSize))
  programFlags(flash, layout.workOffset + write.headerOffset, allocated)
  programFlags(flash, layout.workOffset + write.headerOffset, writesAllocated)
  flash.program(layout.workOffset + write.recordOffset, entry.subarray(writeHeaderSize))
  await changeBlocks(flash, layout.spareOffset, bytes, layout.blockSize)
  programFlags(flash, layout.workOffset + write.recordOffset, spareComplete)
  await finish(flash, layout, write, bytes)
  return { ...emptyJournal, end: end + size }
}

/** Header and record of a rewriting of the store, without flags. */
function buildEntry(layout: Layout): Uint8Array {
  const bytes = new Uint8Array(writeHeaderSize + recordSize).fill(0xff)
  const view = viewOf(bytes)
  bytes.set(guidBytes(caller), 4)
  view.setBigUint64(24, 1n, true)
  view.setBigUint64(32, 0n, true)
  view.setBigUint64(writeHeaderSize + 8, 0n, true)
  view.setBigUint64(writeHeaderSize + 16, BigInt(volumeHeaderSize), true)
  view.setBigUint64(writeHeaderSize + 24, BigInt(layout.storeSize - volumeHeaderSize), true)
  view.setBigInt64(writeHeaderSize + 32, BigInt(layout.offset - layout.spareOffset), true)
  return bytes
}
