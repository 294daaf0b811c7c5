import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onEveryHost } from './every-host.ts'
import { onEveryHostAndBoard } from './on-boards.ts'
import { partsOf } from './parts.ts'
import { basic, copyOf, directory, type Server, start } from './server.ts'

const system = '/redfish/v1/Systems/1/'
const accounts = '/redfish/v1/AccountService/Accounts'

onEveryHostAndBoard(async (t, board) => {
  t.test('changes survive a restart and a crash', async (t) => {
    const before = await board.start(t)
    const { system, chassis } = await partsOf(before)
    const Boot = { BootSourceOverrideTarget: 'Hdd', BootSourceOverrideEnabled: 'Once' }
    for (const answer of [
      await before.patch(system, { AssetTag: 'rack 7', Boot }),
      await before.patch(chassis, { LocationIndicatorActive: true }),
      await before.post(accounts, { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'Operator' }),
      await before.patch('/redfish/v1/SessionService/', { SessionTimeout: 900 }),
      await before.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceOff' })
    ]) {
      t.ok(answer.status < 300, answer.text)
    }
    await before.until(
      () => before.get(system),
      ({ json }) => json.PowerState === 'Off'
    )
    const { token, location } = await before.login('ann', 'Green-Door-4')
    t.equal(await before.stop(), 0)

    for (let n = 0; n < 2; n += 1) {
      const after = await board.start(t, { data: before.data })
      t.match((await after.get(system)).json, { AssetTag: 'rack 7', PowerState: 'Off', Boot })
      t.equal((await after.get(chassis)).json.LocationIndicatorActive, true)
      t.equal((await after.get('/redfish/v1/SessionService/')).json.SessionTimeout, 900)
      t.equal((await after.get(system, basic('ann', 'Green-Door-4'))).status, 200)
      t.equal((await after.get(location, token)).status, 200, 'sessions outlive a restart')
      await after.kill()
    }
  })
})

onEveryHost(async (t, host) => {
  t.test('a host that has crashed is critical until it boots, however often the service ends meanwhile', async (t) => {
    const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
    board.systems['1'].power = { type: 'sim', resetTime: 0, watchdogTime: 0, faults: { panics: true } }
    const file = join(directory(t), 'crashing.json')
    writeFileSync(file, JSON.stringify(board))
    const reset = (server: Server) =>
      server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
    const healthy = (server: Server, health: string) =>
      server.until(
        () => server.get(system),
        ({ json }) => json.Status.Health === health
      )
    const first = await start(t, host, { args: ['--board', file] })
    t.equal((await reset(first)).status, 200)
    await healthy(first, 'Critical')
    await first.kill()
    const second = await start(t, host, { data: first.data })
    t.equal((await second.get(system)).json.Status.Health, 'Critical', 'after kill -9')
    t.equal(await second.stop(), 0)
    const third = await start(t, host, { data: first.data })
    t.equal((await third.get(system)).json.Status.Health, 'Critical', 'after a restart')
    t.equal((await reset(third)).status, 200)
    await healthy(third, 'OK')
    await third.kill()
    const last = await start(t, host, { data: first.data })
    t.equal((await last.get(system)).json.Status.Health, 'OK', 'for good')
  })

  t.test('a copy of the data directory of a stopped service is a service of its own', async (t) => {
    const first = await start(t, host)
    await first.patch(system, { AssetTag: 'rack 7' })
    await first.stop()
    const second = await start(t, host, { data: copyOf(t, first.data) })
    await second.patch(system, { AssetTag: 'rack 8' })
    const again = await start(t, host, { data: first.data })
    t.equal((await again.get(system)).json.AssetTag, 'rack 7')
  })
})
