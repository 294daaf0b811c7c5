import { viewOf } from '#runtime/base/bytes.ts'
import { HalError } from '../errors.ts'
import { attributesFault, type Variable, variableKey } from '../nvram.ts'
import { attribute } from '../uefi/attributes.ts'
import { guidBytes, readGuid } from '../uefi/guid.ts'
import { readText, textBytes } from '../uefi/text.ts'
import { readTime, timeBytes } from '../uefi/time.ts'
import { isErased, programmedLength } from './blocks.ts'
import { headersSize } from './headers.ts'

/** AUTHENTICATED_VARIABLE_HEADER (EDK II, Guid/VariableFormat.h). */
export const recordHeaderSize = 60
const startId = 0x55aa

/** States of a record. A bit only goes from 1 to 0, and each state is one bit away from the one before it. */
export const state = {
  /** The header is not written, or not wholly: it counts for its own size, without name and data. */
  none: 0xff,
  headerWritten: 0x7f,
  added: 0x3f,
  /** Valid for as long as no `added` record has the same name. */
  replaced: 0x3e,
  deleted: 0x3c,
  deletedAtOnce: 0x3d,
  /** Halfway from `none` to `added`, where firmware clears both bits in one write. */
  torn: 0xbf
} as const

const states: readonly number[] = Object.values(state)
/** Set in a record's state that is no longer wanted. */
export const deletedMask = 0xfd

/** One variable's place in the store. Offsets from the beginning of the volume. */
export interface StoredRecord {
  readonly offset: number
  /** Header, name and data, without the padding behind it. */
  readonly length: number
  readonly state: number
  readonly name: string
  readonly guid: string
  readonly attributes: number
  readonly timestamp: Date | undefined
  readonly dataOffset: number
}

export interface Records {
  /** The valid ones, by {@link variableKey}. */
  readonly live: ReadonlyMap<string, StoredRecord>
  /** Valid by their state, but another record of the same name has taken their place. */
  readonly superseded: readonly StoredRecord[]
  /** Headers that were not written wholly. Firmware finds its way past them; other programs do not. */
  readonly bare: readonly StoredRecord[]
  /** Offset of the next record. */
  readonly end: number
  /** The reasons why the store is damaged: sentences, with offsets in the flash. */
  readonly faults: readonly string[]
  /** The reason why a reclaim is needed before a write at `end`. */
  readonly unclean: string | undefined
}

/** Records begin at multiples of 4 (EDK II, HEADER_ALIGN). */
export function align(offset: number): number {
  return (offset + 3) & ~3
}

/** Bytes of a variable's record, without the padding behind it. */
export function recordLength({ name, data }: { readonly name: string; readonly data: Uint8Array }): number {
  return recordHeaderSize + 2 * name.length + 2 + data.length
}

/** A record in state `added`. */
export function buildRecord(variable: Variable): Uint8Array {
  const { name, guid, attributes, data, timestamp } = variable
  const text = textBytes(name)
  const bytes = new Uint8Array(recordLength(variable))
  const view = viewOf(bytes)
  view.setUint16(0, startId, true)
  view.setUint8(2, state.added)
  view.setUint32(4, attributes, true)
  bytes.set(timeBytes(timestamp), 16)
  view.setUint32(36, text.length, true)
  view.setUint32(40, data.length, true)
  bytes.set(guidBytes(guid), 44)
  bytes.set(text, recordHeaderSize)
  bytes.set(data, recordHeaderSize + text.length)
  return bytes
}

/**
 * Walks the records of a store as firmware does, and checks all of them.
 *
 * @param image the store from the beginning of its volume
 * @param base offset of the volume in the flash, for the faults
 */
export function readRecords(image: Uint8Array, base: number): Records {
  const view = viewOf(image)
  const live = new Map<string, StoredRecord>()
  const superseded: StoredRecord[] = []
  const bare: StoredRecord[] = []
  const faults: string[] = []
  let offset = align(headersSize)
  while (startsRecord(view, offset)) {
    const found = readRecord(image, view, offset)
    if (typeof found === 'string') {
      faults.push(`0x${(base + offset).toString(16)}: ${found}`)
      return { live, superseded, bare, end: offset, faults, unclean: undefined }
    }
    offset = align(offset + found.length)
    if (hidesRecord(image, view, found.offset + recordHeaderSize, offset)) {
      faults.push(`0x${(base + found.offset).toString(16)}: a variable reaches over another one`)
    }
    if (found.state === state.none) bare.push(found)
    if (found.state !== state.added && found.state !== state.replaced) continue
    const key = variableKey(found.name, found.guid)
    const other = live.get(key)
    if (other?.state === state.added && found.state === state.added) {
      faults.push(`0x${(base + found.offset).toString(16)}: variable ${key} occurs twice`)
    }
    // Of several that were to be replaced the last one is the newest.
    const loses = other?.state === state.added
    if (other) superseded.push(loses ? found : other)
    if (!loses) live.set(key, found)
  }
  const rest = image.subarray(offset)
  const left = isErased(rest) ? undefined : leftOver(image, view, offset, endsAt(bare.at(-1)) === offset)
  const place = `0x${(base + offset).toString(16)}`
  if (left === false) faults.push(`${place}: no variable begins here, but something follows that is not erased`)
  return { live, superseded, bare, end: offset, faults, unclean: left ? `${place}: ${left}` : undefined }
}

function endsAt(record: StoredRecord | undefined): number {
  return record ? align(record.offset + record.length) : 0
}

function startsRecord(view: DataView, offset: number): boolean {
  return offset + recordHeaderSize <= view.byteLength && view.getUint16(offset, true) === startId
}

/** The record at `offset`, or a sentence about what is wrong with it. Of a dead one only the size matters. */
function readRecord(image: Uint8Array, view: DataView, offset: number): StoredRecord | string {
  const status = view.getUint8(offset + 2)
  const attributes = view.getUint32(offset + 4, true)
  const nameSize = view.getUint32(offset + 36, true)
  const dataSize = view.getUint32(offset + 40, true)
  if (!states.includes(status)) return `a variable has the state 0x${status.toString(16)}, which does not exist`
  const bare = status === state.none || [attributes, nameSize, dataSize].includes(0xffffffff)
  const length = bare ? recordHeaderSize : recordHeaderSize + nameSize + dataSize
  if (offset + length > view.byteLength) return `a variable of ${nameSize} and ${dataSize} bytes reaches over the end`
  const dataOffset = offset + recordHeaderSize + nameSize
  const dead = { offset, length, state: status, name: '', guid: '', attributes, timestamp: undefined, dataOffset }
  if (status !== state.added && status !== state.replaced) return dead
  if (bare) return 'a variable has no sizes or attributes'
  if (nameSize < 4 || nameSize % 2) return `the name of a variable cannot have ${nameSize} bytes`
  if (dataSize === 0) return 'a variable is empty'
  const name = readText(image, offset + recordHeaderSize, dataOffset)
  if (name?.length !== nameSize / 2 - 1) return `the name of a variable does not end after its ${nameSize} bytes`
  try {
    const timestamp = readTime(image, offset + 16)
    const fault = recordFault(view, offset, timestamp)
    if (fault) return `variable ${JSON.stringify(name)}: ${fault}`
    return { ...dead, name, guid: readGuid(image, offset + 44), timestamp }
  } catch (error) {
    if (!(error instanceof HalError)) throw error
    return `variable ${JSON.stringify(name)}: its timestamp ${error.message}`
  }
}

/** The faults in the other fields of a valid record, and in the padding behind it. */
function recordFault(view: DataView, offset: number, timestamp: Date | undefined): string | undefined {
  const attributes = view.getUint32(offset + 4, true)
  const fault = attributesFault(attributes)
  if (fault) return fault
  if (view.getUint8(offset + 3) !== 0) return 'its reserved byte is not 0'
  if (timestamp && !(attributes & attribute.timeBased)) return 'it has a timestamp, but not the attribute'
  const counted =
    view.getUint32(offset + 8, true) | view.getUint32(offset + 12, true) | view.getUint32(offset + 32, true)
  if (counted && !(attributes & attribute.countBased)) return 'it has a count or a key, but not the attribute'
  const end = offset + recordHeaderSize + view.getUint32(offset + 36, true) + view.getUint32(offset + 40, true)
  for (let place = end; place < Math.min(align(end), view.byteLength); place += 1) {
    // Erased; AAVMF of EDK II 2022 leaves zeros there.
    if (![0xff, 0].includes(view.getUint8(place))) return 'the padding behind it is not erased'
  }
  return undefined
}

/** True when a valid record begins between two offsets, where the walk passes over it. */
function hidesRecord(image: Uint8Array, view: DataView, from: number, to: number): boolean {
  const low = startId & 0xff
  const part = image.subarray(0, to)
  for (let offset = part.indexOf(low, from); offset >= 0; offset = part.indexOf(low, offset + 1)) {
    if (offset % 4 || !startsRecord(view, offset)) continue
    const found = readRecord(image, view, offset)
    if (typeof found !== 'string' && found.name !== '') return true
  }
  return false
}

/**
 * A sentence about the rest that a power cut may leave behind the last record. False for anything else, so that a
 * record whose beginning is damaged is not taken for free space.
 */
function leftOver(image: Uint8Array, view: DataView, end: number, afterBare: boolean): string | false {
  if (hidesRecord(image, view, end, image.length)) return false
  if (afterBare) return 'name and data of a variable that was not written to its end'
  if (isErased(image.subarray(end, Math.min(end + recordHeaderSize, image.length)))) return 'free space is not erased'
  const [low, high, status] = image.subarray(end, end + 3)
  const used = programmedLength(image.subarray(end))
  const torn = (low! & startId & 0xff) === (startId & 0xff) && (high! & (startId >> 8)) === startId >> 8
  return torn && status === state.none && used <= recordHeaderSize && 'a variable that was not begun wholly'
}
