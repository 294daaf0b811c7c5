import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { openbmcBoard, policy } from '#test/openbmc/board.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'
import { onBothHosts } from './every-host.ts'
import { directory, start } from './server.ts'
import { openTerminal } from './terminal.ts'

onBothHosts(async (t, host) => {
  await t.test('clients type on the console of OpenBMC, and stay when its daemon starts anew', async (t) => {
    const bus = await TestBus.start(t, 'dbus-daemon', policy())
    const daemons = await OpenbmcSimulator.start(t, bus, { without: ['Console.default'] })
    const board = join(directory(t), 'board.json')
    writeFileSync(board, JSON.stringify(openbmcBoard(bus.socket)))
    const server = await start(t, host, { args: ['--board', board] })
    const terminal = await openTerminal(t, server)
    terminal.type('lost')
    await daemons.start('Console.default')
    await terminal.until('openbmc-sim login: ')
    terminal.type('root\r')
    await terminal.until('root\r')
    await daemons.kill('Console.default')
    await daemons.start('Console.default')
    await terminal.until('openbmc-sim login: ')
    terminal.type('y'.repeat(60_000))
    await terminal.until('y'.repeat(60_000))
    terminal.socket.close()
    await terminal.closed
  })
})
