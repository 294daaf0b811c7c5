import type { Flash } from '../flash.ts'
import { programFlags } from './blocks.ts'
import { finish, type Journal, readSpare, renewJournal, replace } from './ftw.ts'
import { headersSize } from './headers.ts'
import type { Layout } from './layout.ts'
import { align, deletedMask, recordHeaderSize, state } from './records.ts'
import type { Snapshot, Stored } from './snapshot.ts'

/** Offset of a record's state in its header. */
const stateOffset = 2

/** Programs the state of the record at `offset` of the flash. */
export function programState(flash: Flash, offset: number, value: number): void {
  programFlags(flash, offset + stateOffset, value)
}

/**
 * Programs a record where the flash is erased, in EDK II's four steps: wherever the power is cut, firmware finds its
 * way past what is there. Only the two bytes of the first program leave something that a reclaim has to clear away.
 */
export function programRecord(flash: Flash, offset: number, record: Uint8Array): void {
  flash.program(offset, record.subarray(0, stateOffset))
  flash.program(offset + stateOffset + 1, record.subarray(stateOffset + 1, recordHeaderSize))
  programState(flash, offset, state.headerWritten)
  flash.program(offset + recordHeaderSize, record.subarray(recordHeaderSize))
  programState(flash, offset, state.added)
}

/** The bytes of a record that is in the flash, as they may be written anew. */
export function copyRecord(flash: Flash, layout: Layout, { record }: Stored): Uint8Array {
  const bytes = flash.read(layout.offset + record.offset, record.length)
  bytes[stateOffset] = state.added
  return bytes
}

/** Reclaim: rewrites the store so that it holds just these records. A power cut leaves the old store or the new one. */
export function rewrite(
  flash: Flash,
  layout: Layout,
  journal: Journal,
  records: Iterable<Uint8Array>
): Promise<Journal> {
  const image = new Uint8Array(layout.storeSize).fill(0xff)
  image.set(flash.read(layout.offset, headersSize))
  let end = align(headersSize)
  for (const record of records) {
    image.set(record, end)
    end += align(record.length)
  }
  return replace(flash, layout, journal, image)
}

/**
 * Puts right what a power cut has left half done, one kind of thing at a time: to be called again with what is then in
 * the flash, until its health has no more faults.
 */
export async function repair(flash: Flash, layout: Layout, { journal, records, variables }: Snapshot): Promise<void> {
  const { pending } = journal
  if (pending) return finish(flash, layout, pending, readSpare(flash, layout))
  if (journal.unclean) {
    await renewJournal(flash, layout)
    return
  }
  const again = [...variables.values()].filter(({ record }) => record.state === state.replaced)
  const room = layout.storeSize - records.end
  if (records.unclean || room < sum(again.map(({ record }) => align(record.length)))) {
    const copies = [...variables.values()].map((variable) => copyRecord(flash, layout, variable))
    await rewrite(flash, layout, journal, copies)
    return
  }
  for (const { offset } of records.bare) buryHeader(flash, layout.offset + offset)
  for (const old of records.superseded) programState(flash, layout.offset + old.offset, old.state & deletedMask)
  let end = layout.offset + records.end
  for (const variable of again) {
    const copy = copyRecord(flash, layout, variable)
    programRecord(flash, end, copy)
    programState(flash, layout.offset + variable.record.offset, state.deleted)
    end += align(copy.length)
  }
}

/** Makes a header that was not written wholly that of a deleted variable without name and data. */
function buryHeader(flash: Flash, offset: number): void {
  flash.program(offset + stateOffset + 1, new Uint8Array(recordHeaderSize - stateOffset - 1))
  programState(flash, offset, state.deleted)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
