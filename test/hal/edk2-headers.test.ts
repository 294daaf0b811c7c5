import t from 'tap'
import { buildHeaders, headerFaults } from '#hal/edk2/headers.ts'
import { edk2Layouts, type Layout } from '#hal/edk2/layout.ts'
import { viewOf } from '#runtime/base/bytes.ts'

/** The layout of OVMF's 4M build, from 0x10000 on. */
const by = 0x10000
const { offset, workOffset, spareOffset, ...sizes } = edk2Layouts['4M']
const layout: Layout = {
  ...sizes,
  offset: offset + by,
  workOffset: workOffset + by,
  spareOffset: spareOffset + by
}

/** The faults of headers in which one number is another one; a wrong sum is the fault of all in the volume's header. */
function faultsWith(place: number, size: 1 | 2 | 4, value: number): string[] {
  const bytes = buildHeaders(layout)
  const view = viewOf(bytes)
  if (size === 1) view.setUint8(place, value)
  else if (size === 2) view.setUint16(place, value, true)
  else view.setUint32(place, value, true)
  return headerFaults(bytes, layout).filter((fault) => !fault.startsWith('0x10032: '))
}

t.test('the headers of a new store have no faults', async (t) => {
  for (const each of [layout, ...Object.values(edk2Layouts)]) t.same(headerFaults(buildHeaders(each), each), [])
  const before = { ...layout, workOffset: 0, spareOffset: 0x2000 }
  t.same(headerFaults(buildHeaders(before), before), [], 'with the other parts before it')
  t.equal(viewOf(buildHeaders(before)).getUint32(0x20, true), layout.storeSize, 'its volume ends with the store')
  t.equal(viewOf(buildHeaders(layout)).getUint32(0x20, true), 0x84000, 'and else with the last part')
})

t.test('a fault names its place in the flash, the value there and the expected one', async (t) => {
  for (const [place, size, value, ...expected] of [
    [0x00, 4, 1, '0x10000: the zero vector is 0x1, not 0x0'],
    [0x0c, 4, 1, '0x1000c: the zero vector is 0x1, not 0x0'],
    [0x20, 4, 0x3ffff, "0x10020: the volume's length, 0x3ffff, is less than the store's"],
    [0x20, 4, 0x40000],
    [0x24, 4, 1, "0x10024: the upper half of the volume's length is 0x1, not 0x0"],
    [0x28, 4, 0x12, "0x10028: the volume's signature is 0x12, not 0x4856465f"],
    [0x2c, 4, 0x4f6ff, "0x1002c: the volume's erase polarity is 0x0, not 0x800"],
    [0x2c, 4, 0x800],
    [0x30, 2, 0x50, "0x10030: the volume header's length is 0x50, not 0x48"],
    [0x34, 2, 1, "0x10034: the volume's extended header is 0x1, not 0x0"],
    [0x36, 1, 1, '0x10036: the reserved byte is 0x1, not 0x0'],
    [0x37, 1, 1, "0x10037: the volume header's revision is 0x1, not 0x2"],
    [0x38, 4, 0x83, '0x10038: the number of blocks is 0x83, not 0x84'],
    [0x38, 4, 0x400],
    [0x3c, 4, 0x2000, '0x1003c: the block size is 0x2000, not 0x1000'],
    [0x40, 4, 1, '0x10040: the end of the block map is 0x1, not 0x0'],
    [0x44, 4, 2, '0x10040: the end of the block map is 0x2, not 0x0'],
    [0x58, 4, 0x3ffb7, "0x10058: the store's size is 0x3ffb7, not 0x3ffb8"],
    [0x5c, 1, 0xff, "0x1005c: the store's format is 0xff, not 0x5a"],
    [0x5d, 1, 0xff, "0x1005d: the store's state is 0xff, not 0xfe"],
    [0x5e, 2, 1, '0x1005e: the reserved word is 0x1, not 0x0'],
    [0x60, 4, 1, '0x10060: the reserved word is 0x1, not 0x0']
  ] as const)
    t.same(faultsWith(place, size, value), expected, `${place}: ${value}`)
})

t.test('the sum of the header is checked, and the GUIDs of volume and store', async (t) => {
  const bytes = buildHeaders(layout)
  viewOf(bytes).setUint16(0x32, viewOf(bytes).getUint16(0x32, true) + 3, true)
  t.same(headerFaults(bytes, layout), ["0x10032: the sum of the volume header's words is 0x3, not 0x0"])
  t.match(faultsWith(0x10, 1, 0), ["0x10010: the volume's GUID is fff12b00-7696-4c8b-a985-2747075b4f50, not fff12b8d-"])
  t.match(faultsWith(0x48, 1, 0), ["0x10048: the store's GUID is aaf32c00-947b-439a-a180-2e144ec37792, not aaf32c78-"])
  const plain = buildHeaders(layout)
  plain.set(Buffer.from('1636cfdd7532644198b6fe85707ffe7d', 'hex'), 0x48)
  t.same(headerFaults(plain, layout), ['0x10048: the store has the format without authentication'])
})
