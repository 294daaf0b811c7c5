import { writeFileSync } from 'node:fs'
import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { Log, log } from '#runtime/base/log.ts'
import { withFru } from '#runtime/service/machine/fru.ts'
import { area, eeprom as eepromOf, record } from '#test/hal/fixtures/eeprom.ts'

const board = sim as Board

/** A product without a maker, of the model `X9` with the serial number `S-77` and the asset tag `R-7`. */
const eeprom = (() => {
  const fields = [
    0xc0,
    0xc2,
    ...Buffer.from('X9'),
    0xc0,
    0xc0,
    0xc4,
    ...Buffer.from('S-77'),
    0xc3,
    ...Buffer.from('R-7'),
    0xc1
  ]
  const sum = (bytes: number[]) => [...bytes, -bytes.reduce((total, byte) => total + byte, 0) & 0xff]
  const area = [1, 4, 25, ...fields]
  return Uint8Array.from([...sum([1, 0, 0, 0, 1, 0, 0]), ...sum([...area, ...Array(31 - area.length).fill(0)])])
})()

function boardWith(fru: string): Board {
  const [system, chassis] = [board.systems[1]!, board.chassis[1]!]
  return { ...board, systems: { 1: { ...system, fru } }, chassis: { ...board.chassis, 1: { ...chassis, fru } } }
}

t.test('the values of an EEPROM override the board file', async (t) => {
  const path = `${t.testdir()}/eeprom`
  writeFileSync(path, eeprom)
  const { systems, chassis } = withFru(boardWith(path), { log })
  const { manufacturer, partNumber, uuid, ethernetInterfaces } = board.systems[1]!
  t.match(systems[1], {
    model: 'X9',
    serialNumber: 'S-77',
    assetTag: 'R-7',
    manufacturer,
    partNumber,
    uuid,
    ethernetInterfaces
  })
  t.match(chassis[1], {
    ...{ model: 'X9', serialNumber: 'S-77', assetTag: 'R-7' },
    manufacturer: board.chassis[1]!.manufacturer,
    partNumber: board.chassis[1]!.partNumber
  })
})

t.test('an EEPROM that says everything leaves nothing of the board file', async (t) => {
  const path = `${t.testdir()}/eeprom`
  const product = ['Maker', 'Server 7', 'P-7', '1.0', 'S-1', 'R-7', '', '02000000000a']
  const uuid = record(3, true, [7, 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15])
  writeFileSync(path, eepromOf(area([23], ['CH-PART', 'CH-1']), [], area([25], product), uuid))
  const { systems, chassis } = withFru(boardWith(path), { log })
  const both = { manufacturer: 'Maker', model: 'Server 7', assetTag: 'R-7' }
  t.match(systems[1], {
    ...both,
    partNumber: 'P-7',
    serialNumber: 'S-1',
    uuid: '00010203-0405-0607-0809-0a0b0c0d0e0f',
    ethernetInterfaces: {
      1: { name: 'Network adapter port 1', mac: '02:00:00:00:00:0A' },
      2: { mac: board.systems[1]!.ethernetInterfaces[2]!.mac }
    }
  })
  t.match(chassis[1], { ...both, partNumber: 'CH-PART', serialNumber: 'CH-1' })
})

t.test('the boards that EEPROMs describe are the assemblies of the chassis, each once', async (t) => {
  const directory = t.testdir()
  const write = (name: string, date: readonly number[], fields: readonly string[]) => {
    writeFileSync(`${directory}/${name}`, eepromOf([], area([25, ...date], fields)))
    return `${directory}/${name}`
  }
  const main = write('main', [0xfe, 0xcb, 0xe9], ['Board Maker', 'Mainboard', 'B-1', 'B-PART'])
  const plane = write('plane', [0, 0, 0], ['', '', 'P-7'])
  const both = boardWith(main)
  const mainboard = {
    name: 'Mainboard',
    context: 'SystemBoard',
    producer: 'Board Maker',
    model: 'Mainboard',
    partNumber: 'B-PART',
    serialNumber: 'B-1',
    productionDate: '2025-02-17T08:30:00Z'
  }
  t.strictSame(withFru(both, { log }).chassis[1]?.assemblies, [mainboard])
  const chassis = { ...both.chassis, 1: { ...both.chassis[1]!, fru: plane } }
  t.strictSame(withFru({ ...both, chassis }, { log }).chassis[1]?.assemblies, [
    { name: 'System board', context: 'SystemBoard', serialNumber: 'P-7' },
    mainboard
  ])
})

t.test('without a board area, the assemblies of the board file apply', async (t) => {
  const path = `${t.testdir()}/eeprom`
  writeFileSync(path, eeprom)
  t.equal(withFru(boardWith(path), { log }).chassis[1]?.assemblies, board.chassis[1]!.assemblies)
})

t.test('one that is damaged, or not there, changes nothing', async (t) => {
  const path = `${t.testdir()}/eeprom`
  writeFileSync(path, eeprom.subarray(0, 20))
  for (const each of [path, `${path}-gone`]) {
    const given = boardWith(each)
    const log = new Log(10_000)
    t.strictSame(withFru(given, { log }), given)
    const warning = {
      level: 'warning',
      message: 'an EEPROM cannot be read: the board file applies',
      path: each
    }
    t.match(
      log.recent.map((line) => JSON.parse(line)),
      [warning, warning],
      'for the system, and for the chassis'
    )
  }
})
