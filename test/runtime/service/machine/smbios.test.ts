import { writeFileSync } from 'node:fs'
import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { Log, log } from '#runtime/base/log.ts'
import { withSmbios } from '#runtime/service/machine/smbios.ts'
import { tables } from '#test/hal/fixtures/smbios.ts'

const board = sim as Board
const boardWith = (smbios: string): Board => ({ ...board, systems: { 1: { ...board.systems[1]!, smbios } } })

t.test('the SMBIOS tables of a host override the board file', async (t) => {
  const path = `${t.testdir()}/DMI`
  writeFileSync(path, tables)
  const { systems } = withSmbios(boardWith(path), { log })
  t.match(systems[1], { model: 'X9', biosVersion: '1.2.3', sku: board.systems[1]!.sku, assetTag: 'rack 7' })
  t.match(systems[1]?.processors, { 1: { socket: 'CPU 0', cores: 32 } })
  t.match(systems[1]?.memory, { dimm1: { location: 'DIMM A1', capacityMiB: 65_536, slot: 1 } })
})

t.test('a file that is damaged, or not there, changes nothing', async (t) => {
  const path = `${t.testdir()}/DMI`
  writeFileSync(path, tables.subarray(0, 20))
  for (const each of [path, `${path}-gone`]) {
    const given = boardWith(each)
    const log = new Log(1000)
    t.strictSame(withSmbios(given, { log }), given)
    const warnings = [
      {
        level: 'warning',
        message: 'the SMBIOS tables of a host cannot be read: the board file applies',
        path: each
      }
    ]
    t.match(
      log.recent.map((line) => JSON.parse(line)),
      warnings
    )
  }
})
