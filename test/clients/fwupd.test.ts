import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { updateFile } from '#runtime/build/update-file.mjs'
import { needing } from '#test/host/every-host.ts'
import { hosts, isInstalled } from '#test/host/hosts.ts'
import { directory, type Json, password, type Scope, type Server, start } from '#test/host/server.ts'
import { run } from './run.ts'

const fwupd = isInstalled('fwupdtool') ? undefined : 'fwupdtool: not here; install fwupd'

/** Runs fwupd's engine without its daemon, with the plugin for Redfish alone. */
function fwupdtool(scope: Scope, { port }: Server) {
  const home = directory(scope)
  for (const name of ['conf', 'state', 'cache']) mkdirSync(join(home, name))
  const login = `Uri=https://127.0.0.1:${port}\nUsername=admin\nPassword=${password}\nCACheck=false`
  const config = join(home, 'conf/fwupd.conf')
  writeFileSync(config, `[fwupd]\nOnlyTrusted=false\n[redfish]\n${login}\nIpmiDisableCreateUser=true\n`)
  chmodSync(config, 0o640)
  const places = { CONFIGURATION_DIRECTORY: 'conf', STATE_DIRECTORY: 'state', CACHE_DIRECTORY: 'cache' }
  const settings = Object.entries(places).map(([name, folder]) => `${name}=${join(home, folder)}`)
  return (...args: string[]) => run('env', ...settings, 'fwupdtool', '--plugins', 'redfish', ...args)
}

t.setTimeout(900_000)
for (const host of hosts.slice(0, 2)) {
  needing(`fwupd on ${host.name}`, host.missing ?? fwupd, async (t) => {
    const server = await start(t, host)
    const tool = fwupdtool(t, server)
    const { stdout, stderr } = await tool('get-devices', '--json')
    t.match(stdout, /^\{/m, stderr)
    const devices: Json[] = JSON.parse(stdout.slice(stdout.indexOf('{'))).Devices

    t.test('lists the components that can be updated', async (t) => {
      const named = (guid: string) => devices.filter(({ Guid }) => Guid.includes(guid))
      const controller = named(sim.managers[1].softwareId)
      t.equal(controller.length, 2)
      t.match(controller.map(({ Version }) => Version).sort(), ['1.62'])
      t.match(named(sim.systems[1].softwareId), [{ Flags: ['internal', 'updatable', 'require-ac'] }])
    })

    t.test('writes a BIOS while the host is off', async (t) => {
      const system = '/redfish/v1/Systems/1/'
      await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceOff' })
      await server.until(
        () => server.get(system),
        ({ json }) => json.PowerState === 'Off'
      )
      const file = join(directory(t), 'bios.update')
      const image = { board: 'sim', component: 'bios', version: '3.1' }
      writeFileSync(file, updateFile(sim.updateKey, image, { image: new Uint8Array(100_000) }))
      const bios = devices.find(({ Guid }) => Guid.includes(sim.systems[1].softwareId))
      const installed = await tool('install-blob', file, bios.DeviceId, '--force', '--no-reboot-check', '--assume-yes')
      t.equal(installed.status, 0, installed.stderr)
      t.equal((await server.get(system)).json.BiosVersion, '3.1')
    })
  })
}
