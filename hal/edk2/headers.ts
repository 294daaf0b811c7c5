import { viewOf } from '#runtime/base/bytes.ts'
import { guidBytes, readGuid } from '../uefi/guid.ts'
import { type Layout, layoutEnd, volumeGuid } from './layout.ts'

/** EFI_FIRMWARE_VOLUME_HEADER with one block map entry and its end (PI 1.8, volume 3, 3.2.1). */
export const volumeHeaderSize = 0x48
/** VARIABLE_STORE_HEADER (EDK II, Guid/VariableFormat.h). */
const storeHeaderSize = 28
/** Both headers; here the first variable begins. */
export const headersSize = volumeHeaderSize + storeHeaderSize

const signature = 0x4856465f
// _FVH
/** EFI_FVB2_: all is allowed, sticky writes, memory mapped, erased is 1; as EDK II's builds have it. */
const volumeAttributes = 0x0004feff
const erasePolarity = 0x800
const revision = 2
const authenticatedStore = 'aaf32c78-947b-439a-a180-2e144ec37792'
const plainStore = 'ddcf3616-3275-4164-98b6-fe85707ffe7d'
const formatted = 0x5a
const healthy = 0xfe

/** The volume's and the store's headers of a new store. */
export function buildHeaders(layout: Layout): Uint8Array {
  const bytes = new Uint8Array(headersSize)
  const view = viewOf(bytes)
  const length = volumeLength(layout)
  bytes.set(guidBytes(volumeGuid), 0x10)
  view.setUint32(0x20, length, true)
  view.setUint32(0x28, signature, true)
  view.setUint32(0x2c, volumeAttributes, true)
  view.setUint16(0x30, volumeHeaderSize, true)
  view.setUint8(0x37, revision)
  view.setUint32(0x38, length / layout.blockSize, true)
  view.setUint32(0x3c, layout.blockSize, true)
  view.setUint16(0x32, -sum(view), true)
  bytes.set(guidBytes(authenticatedStore), volumeHeaderSize)
  view.setUint32(volumeHeaderSize + 0x10, layout.storeSize - volumeHeaderSize, true)
  view.setUint8(volumeHeaderSize + 0x14, formatted)
  view.setUint8(volumeHeaderSize + 0x15, healthy)
  return bytes
}

/** Everything in the headers at the beginning of `bytes` that is not as it must be: sentences, with offsets in the flash. */
export function headerFaults(bytes: Uint8Array, layout: Layout): string[] {
  const view = viewOf(bytes)
  const faults: string[] = []
  const at = (place: number) => `0x${(layout.offset + place).toString(16)}`
  const expect = (place: number, what: string, found: number | string, wanted: number | string) => {
    if (found !== wanted) faults.push(`${at(place)}: ${what} is ${shown(found)}, not ${shown(wanted)}`)
  }
  for (let place = 0; place < 0x10; place += 4) expect(place, 'the zero vector', view.getUint32(place, true), 0)
  expect(0x10, "the volume's GUID", readGuid(bytes, 0x10), volumeGuid)
  const length = view.getUint32(0x20, true)
  if (length < layout.storeSize)
    faults.push(`${at(0x20)}: the volume's length, ${shown(length)}, is less than the store's`)
  expect(0x24, "the upper half of the volume's length", view.getUint32(0x24, true), 0)
  expect(0x28, "the volume's signature", view.getUint32(0x28, true), signature)
  expect(0x2c, "the volume's erase polarity", view.getUint32(0x2c, true) & erasePolarity, erasePolarity)
  expect(0x30, "the volume header's length", view.getUint16(0x30, true), volumeHeaderSize)
  expect(0x32, "the sum of the volume header's words", sum(view), 0)
  expect(0x34, "the volume's extended header", view.getUint16(0x34, true), 0)
  expect(0x36, 'the reserved byte', view.getUint8(0x36), 0)
  expect(0x37, "the volume header's revision", view.getUint8(0x37), revision)
  // Firmware that formats a flash itself writes the number of the whole flash's (ArmPlatformPkg, NorFlashDxe).
  const blocks = view.getUint32(0x38, true)
  if (blocks < length / layout.blockSize) expect(0x38, 'the number of blocks', blocks, length / layout.blockSize)
  expect(0x3c, 'the block size', view.getUint32(0x3c, true), layout.blockSize)
  expect(0x40, 'the end of the block map', view.getUint32(0x40, true) | view.getUint32(0x44, true), 0)
  const store = volumeHeaderSize
  const guid = readGuid(bytes, store)
  if (guid === plainStore) {
    faults.push(`${at(store)}: the store has the format without authentication`)
  } else expect(store, "the store's GUID", guid, authenticatedStore)
  expect(store + 0x10, "the store's size", view.getUint32(store + 0x10, true), layout.storeSize - volumeHeaderSize)
  expect(store + 0x14, "the store's format", view.getUint8(store + 0x14), formatted)
  expect(store + 0x15, "the store's state", view.getUint8(store + 0x15), healthy)
  expect(store + 0x16, 'the reserved word', view.getUint16(store + 0x16, true), 0)
  expect(store + 0x18, 'the reserved word', view.getUint32(store + 0x18, true), 0)
  return faults
}

/** The volume reaches over all parts that lie behind the store; one with a part before it ends with the store. */
function volumeLength(layout: Layout): number {
  const { offset, storeSize, workOffset, spareOffset } = layout
  return workOffset > offset && spareOffset > offset ? layoutEnd(layout) - offset : storeSize
}

/** Sum of the volume header as 16-bit words: 0 with its checksum. */
function sum(view: DataView): number {
  let total = 0
  for (let place = 0; place < volumeHeaderSize; place += 2) total += view.getUint16(place, true)
  return total & 0xffff
}

function shown(value: number | string): string {
  return typeof value === 'string' ? value : `0x${value.toString(16)}`
}
