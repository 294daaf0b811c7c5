import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { openbmcBoard, policy } from '#test/openbmc/board.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'
import { EventSource } from './event-source.ts'
import { onBothHosts } from './every-host.ts'
import { directory, type Json, start } from './server.ts'

const system = '/redfish/v1/Systems/1/'
const path = '/xyz/openbmc_project/watchdog/host0'

onBothHosts(async (t, host) => {
  await t.test('the watchdog timer of OpenBMC is that of the host, and absent without its daemon', async (t) => {
    const bus = await TestBus.start(t, 'dbus-daemon', policy())
    const daemons = await OpenbmcSimulator.start(t, bus, { without: ['Watchdog'] })
    const board = join(directory(t), 'board.json')
    writeFileSync(board, JSON.stringify(openbmcBoard(bus.socket)))
    const server = await start(t, host, { args: ['--board', board] })
    const timer = async () => (await server.get(system)).json.HostWatchdogTimer
    const change = (wish: object) => server.patch(system, { HostWatchdogTimer: wish })
    const until = (expected: (timer: Json) => boolean) => server.until(timer, expected)
    t.equal(await timer(), undefined)
    t.equal((await change({ FunctionEnabled: true })).status, 503)
    await daemons.start('Watchdog')
    await until((now) => now?.FunctionEnabled === false)
    const wish = { FunctionEnabled: true, TimeoutAction: 'PowerDown' }
    t.equal((await change(wish)).status, 200)
    t.match(await timer(), { ...wish, Status: { State: 'Enabled' } })
    const held = (name: string) => daemons.get(path, 'State.Watchdog', name)
    t.same([await held('Enabled'), await held('ExpireAction')], [true, 'PowerOff'])
    t.equal((await change({ WarningAction: 'DiagnosticInterrupt' })).status, 400)

    const events = await EventSource.open(t, server)
    await daemons.set(path, 'State.Watchdog', 'Enabled', false)
    for (;;) {
      const { MessageId, OriginOfCondition } = (await events.next())?.data.Events[0] ?? {}
      if (/ResourceChanged$/.test(MessageId) && OriginOfCondition['@odata.id'] === system) break
    }
    t.match(await timer(), { FunctionEnabled: false, TimeoutAction: 'PowerDown', Status: { State: 'Disabled' } })
    await daemons.kill('Watchdog')
    await until((now) => now === undefined)
  })
})
