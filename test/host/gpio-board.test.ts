// own process: it starts the service on a board's lines
/** The service on a board whose host is behind GPIO lines. The kernel's side of the lines is linked into Node.js only. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Board } from '#test/hal/board.ts'
import { area, eeprom, record } from '#test/hal/fixtures/eeprom.ts'
import { environmentOn, missing } from '#test/hal/gpio-kernel.ts'
import { hosts } from './hosts.ts'
import { directory, type Server, start } from './server.ts'

const system = '/redfish/v1/Systems/1/'
const low = (name: string) => ({ name, activeLow: true })

/** A board that is on, and the service that has its lines. */
async function open(t: Test, members: object = {}): Promise<{ board: Board; server: Server }> {
  const folder = directory(t)
  const board = new Board(folder)
  await board.start()
  t.teardown(() => board.stop())
  board.reset(true)
  const file = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
  const power = {
    type: 'gpio',
    devices: folder,
    powerButton: low('POWER_OUT'),
    powerGood: { name: 'PS_PWROK' },
    reset: low('RESET_OUT'),
    platformReset: low('PLTRST'),
    watchdog: { name: 'WDT_OUT' },
    nmi: low('NMI_OUT'),
    pressTime: 100,
    resetTime: 50,
    cycleTime: 50
  }
  Object.assign(file.systems['1'], { power, storage: {}, ...members })
  writeFileSync(join(folder, 'board.json'), JSON.stringify(file))
  const server = await start(t, hosts[0]!, {
    env: environmentOn(board),
    args: ['--board', join(folder, 'board.json')],
    configuration: { watchdogWarning: 0 }
  })
  return { board, server }
}

t.test('a host behind GPIO lines', { skip: missing() }, async (t) => {
  t.test('resets itself: pending settings are applied, and an event is sent', async (t) => {
    const { board, server } = await open(t)
    const Boot = { BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Once' }
    t.equal((await server.patch(system, { Boot })).status, 200)
    const changed = await server.patch(`${system}Bios/Settings/`, { Attributes: { ServerOwner: 'night shift' } })
    t.ok(changed.status < 300, changed.text)
    board.restart()
    await server.until(
      () => server.get(`${system}Bios/`),
      ({ json }) => json.Attributes.ServerOwner === 'night shift'
    )
    t.equal((await server.get(system)).json.Boot.BootSourceOverrideEnabled, 'Disabled')
    const { json } = await server.until(
      () => entries(server),
      ({ json }) => /ServerReset$/.test(json.Members.at(-1)?.MessageId)
    )
    t.equal(json.Members.filter(({ MessageId }: { MessageId: string }) => /ServerReset$/.test(MessageId)).length, 1)
    t.strictSame(board.seen, ['RESET_OUT pressed', 'RESET_OUT released'])
  })

  for (const [TimeoutAction, WarningAction, lines] of [
    ['ResetSystem', 'None', ['RESET_OUT pressed', 'RESET_OUT released']],
    ['PowerDown', 'None', ['POWER_OUT pressed', 'no power', 'POWER_OUT released']],
    [
      'PowerCycle',
      'None',
      ['POWER_OUT pressed', 'no power', 'POWER_OUT released', 'POWER_OUT pressed', 'power', 'POWER_OUT released']
    ],
    [
      'ResetSystem',
      'DiagnosticInterrupt',
      ['NMI_OUT pressed', 'RESET_OUT pressed', 'NMI_OUT released', 'RESET_OUT released']
    ]
  ] as const) {
    const title = WarningAction === 'None' ? TimeoutAction : `${TimeoutAction} after a diagnostic interrupt`
    t.test(`hangs: its watchdog timer has the service do ${title}`, async (t) => {
      const { board, server } = await open(t)
      const HostWatchdogTimer = { FunctionEnabled: true, TimeoutAction, WarningAction }
      t.equal((await server.patch(system, { HostWatchdogTimer })).status, 200)
      t.match((await server.get(system)).json, { HostWatchdogTimer })
      board.hang()
      while (board.seen.length < lines.length) await Promise.race(lines.map((line) => board.next(line)))
      t.strictSame([...board.seen].sort(), [...lines].sort())
      t.equal(board.seen[0], lines[0])
    })
  }

  t.test('is who its EEPROM says', async (t) => {
    const uuid = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
    const product = area([25], ['Maker', 'Server 7', 'P-7', '1.0', 'S-1', '', '', '02:00:00:00:00:0a'])
    const fru = join(directory(t), 'eeprom')
    writeFileSync(fru, eeprom([], [], product, record(3, true, [7, ...uuid])))
    const { server } = await open(t, { fru })
    t.match((await server.get(system)).json, {
      Manufacturer: 'Maker',
      Model: 'Server 7',
      PartNumber: 'P-7',
      SerialNumber: 'S-1',
      UUID: '00010203-0405-0607-0809-0a0b0c0d0e0f',
      PowerState: 'On'
    })
    const ports = (await server.get(`${system}EthernetInterfaces/?$expand=.`)).json.Members
    t.equal(ports[0].MACAddress, '02:00:00:00:00:0A')
  })
})

function entries(server: Server) {
  return server.get(`${system}LogServices/SystemLog/Entries/?$expand=.`)
}
