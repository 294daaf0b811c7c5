import { HalError } from '../errors.ts'
import type { Flash } from '../flash.ts'
import type { NvramHealth, Variable } from '../nvram.ts'
import { readGuid } from '../uefi/guid.ts'
import { isErased } from './blocks.ts'
import { emptyJournal, type Journal, readJournal, readSpare } from './ftw.ts'
import { headerFaults, headersSize } from './headers.ts'
import { checkLayout, findLayout, type Layout, volumeGuid } from './layout.ts'
import { type Records, readRecords, type StoredRecord, state } from './records.ts'

/** A variable and its place in the store. */
export interface Stored extends Variable {
  readonly record: Pick<StoredRecord, 'offset' | 'length' | 'state'>
}

/** The contents of a flash, as they are once a write that a power cut interrupted is completed. */
export interface Snapshot {
  readonly health: NvramHealth
  readonly layout: Layout | undefined
  readonly variables: Map<string, Stored>
  readonly records: Records
  readonly journal: Journal
}

const noRecords: Records = { live: new Map(), superseded: [], bare: [], end: 0, faults: [], unclean: undefined }

/** Nothing, and why. */
export function nothing(state: 'damaged' | 'absent', ...faults: readonly string[]): Snapshot {
  const variables = new Map<string, Stored>()
  return { health: { state, faults }, layout: undefined, variables, records: noRecords, journal: emptyJournal }
}

/**
 * Reads the variable store in `flash`, and writes nothing.
 *
 * @param wanted its layout; OVMF's are found without
 * @throws {HalError} `EIO` and the like when the flash cannot be read
 */
export function readStore(flash: Flash, wanted?: Layout): Snapshot {
  const layout = wanted ?? findLayout(flash)
  if (!layout) return nothing('absent', 'no variable store with a known layout is in the flash')
  try {
    checkLayout(layout, flash)
  } catch (error) {
    if (!(error instanceof HalError)) throw error
    return nothing('damaged', error.message)
  }
  const journal = readJournal(flash.read(layout.workOffset, layout.workSize), layout)
  if (journal.pending) return snapshotOf(readSpare(flash, layout), layout, journal)
  const { offset, storeSize } = layout
  const used = flash.programmed?.(offset, storeSize) ?? storeSize
  // One erased block shows that nothing follows.
  const some = flash.read(offset, Math.min(storeSize, used + flash.eraseSize))
  const snapshot = snapshotOf(some, layout, journal)
  // Erased bytes may be the end of a variable.
  const isWhole = snapshot.health.state !== 'damaged' || some.length === storeSize
  return isWhole ? snapshot : snapshotOf(flash.read(offset, storeSize), layout, journal)
}

function snapshotOf(image: Uint8Array, layout: Layout, journal: Journal): Snapshot {
  if (readGuid(image, 0x10) !== volumeGuid && image[0x28] !== 0x5f && !journal.fault) {
    const erased = isErased(image.subarray(0, headersSize))
    return nothing(
      'absent',
      `0x${layout.offset.toString(16)}: ${erased ? 'erased' : 'something else'}, no variable store`
    )
  }
  const faults = journal.fault ? [journal.fault] : headerFaults(image, layout)
  if (faults.length > 0) return nothing('damaged', ...faults)
  const records = readRecords(image, layout.offset)
  if (records.faults.length > 0) return nothing('damaged', ...records.faults)
  const variables = new Map([...records.live].map(([key, record]) => [key, stored(image, record)]))
  return { health: { state: 'ok', faults: unfinished(records, journal) }, layout, variables, records, journal }
}

function stored(image: Uint8Array, record: StoredRecord): Stored {
  const { name, guid, attributes, timestamp, offset, length, state, dataOffset } = record
  const data = image.slice(dataOffset, offset + length)
  return { name, guid, attributes, data, timestamp, record: { offset, length, state } }
}

/** The writes of a store that a power cut interrupted, in one line each. */
function unfinished(records: Records, journal: Journal): string[] {
  const pending = journal.pending && 'a rewriting of the store was cut off; its new content is safe in the spare blocks'
  const lines = (list: readonly StoredRecord[], what: string) =>
    list.map(({ name }) => `variable ${JSON.stringify(name)}: ${what}`)
  return [
    pending ?? journal.unclean,
    records.unclean,
    ...records.bare.map(() => 'the header of a variable was not written to its end'),
    ...lines(records.superseded, 'its old value is not deleted'),
    ...lines(replaced(records), 'its new value was not written to its end')
  ].filter((fault) => fault !== undefined)
}

/** The variables whose replacement a power cut has prevented. */
function replaced(records: Records): StoredRecord[] {
  return [...records.live.values()].filter((record) => record.state === state.replaced)
}
