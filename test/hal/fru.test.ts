import t from 'tap'
import { readFru } from '#hal/fru.ts'
import { area, eeprom, record } from './fixtures/eeprom.ts'

/** As the specification's example has it. */
const ipmi = [0x83, 0x29, 0xdc, 0xa6]
const chassis = area([23], ['CH-PART', 'CH-1', 'MAC=02:00:00:00:00:0c'])
const board = area(
  [25, 0xfe, 0xcb, 0xe9],
  ['Board Maker', 'Mainboard', 'B-1', 'B-PART', '', '02000000000a', '02-00-00-00-00-0B']
)
const product = area([25], ['Maker', 'Server 7', '', '1.0', 'S-1', 'asset', '', 'not an address'])
const uuid = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
const records = [...record(0, false, [1, 2, 3]), ...record(3, true, [7, ...uuid])]
const whole = eeprom(chassis, board, product, records)

t.test('all areas are read, and the product area takes precedence over the board area', async (t) => {
  t.strictSame(readFru(whole), {
    manufacturer: 'Maker',
    model: 'Server 7',
    partNumber: 'B-PART',
    serialNumber: 'S-1',
    assetTag: 'asset',
    chassisPartNumber: 'CH-PART',
    chassisSerialNumber: 'CH-1',
    board: {
      manufacturer: 'Board Maker',
      model: 'Mainboard',
      partNumber: 'B-PART',
      serialNumber: 'B-1',
      madeAt: '2025-02-17T08:30:00Z'
    },
    uuid: '00010203-0405-0607-0809-0a0b0c0d0e0f',
    macs: ['02:00:00:00:00:0A', '02:00:00:00:00:0B', '02:00:00:00:00:0C']
  })
})

t.test('an EEPROM may say less', async (t) => {
  const nothing = { macs: [], uuid: undefined, chassisPartNumber: undefined, chassisSerialNumber: undefined }
  t.match(readFru(eeprom()), { ...nothing, manufacturer: undefined, serialNumber: undefined })
  t.match(readFru(eeprom([], area([25, 0, 0, 0], []))), { board: { model: undefined, madeAt: undefined } })
  t.match(readFru(eeprom([], [], product)), { board: undefined })
  t.match(readFru(eeprom([], board)), { serialNumber: 'B-1', chassisSerialNumber: 'B-1', macs: { length: 2 } })
  t.match(readFru(eeprom([], [], [], record(0, true, []))), nothing)
})

t.test('fields are text, digits, six bits for a character, or bytes', async (t) => {
  const fields = [[0x42, 0x12, 0x3b], [0x02, 0xab, 0xcd], ipmi, '', 'r\xe9v\n\0']
  t.match(readFru(eeprom([], [], area([0], fields))), {
    manufacturer: '123-',
    model: 'abcd',
    partNumber: 'IPMI',
    serialNumber: 'r\xe9v'
  })
})

t.test('a wrong byte is detected wherever it matters', async (t) => {
  const used = 8 + [chassis, board, product].reduce((sum, each) => sum + each.length, 0) + records.length
  for (let at = 0; at < used; at += 1) {
    const damaged = Uint8Array.from(whole)
    damaged[at]! ^= 0x10
    t.type(readFru(damaged), 'string', `byte ${at}`)
  }
  for (let length = 0; length < used; length += 1) t.type(readFru(whole.subarray(0, length)), 'string')
})

t.test('any content is read or refused', async (t) => {
  let state = 7
  const next = (most: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % most
  }
  const mended = (bytes: Uint8Array, start: number, length: number) => {
    const area = bytes.subarray(start, start + length)
    if (area.length > 0) area[area.length - 1]! -= area.reduce((sum, byte) => sum + byte, 0)
  }
  let read = 0
  for (let round = 0; round < 5000; round += 1) {
    const bytes = Uint8Array.from(whole)
    for (let left = 1 + next(4); left > 0; left -= 1) bytes[next(160)] = next(256)
    // With checksums that fit, so that what is behind them is reached.
    bytes[0] = 1
    for (const at of [2, 3, 4]) mended(bytes, bytes[at]! * 8, (bytes[bytes[at]! * 8 + 1] ?? 0) * 8)
    mended(bytes, 0, 8)
    const fru = readFru(bytes.subarray(0, next(2) === 0 ? bytes.length : next(bytes.length)))
    if (typeof fru === 'string') continue
    read += 1
    for (const text of Object.values(fru).flat())
      if (text !== undefined && /[^\x20-\x7e\xa0-\xff]/.test(text)) t.fail(text)
  }
  t.ok(read > 250, 'many of them could be read')
})
