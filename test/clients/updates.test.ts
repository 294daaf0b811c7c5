import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { updateFile } from '#runtime/build/update-file.mjs'
import { Authority, serverExtensions } from '#test/host/authority.ts'
import { needing } from '#test/host/every-host.ts'
import { hosts, isInstalled } from '#test/host/hosts.ts'
import { directory, type Json, password, type Scope, type Server, start } from '#test/host/server.ts'
import { run } from './run.ts'

const python = '/usr/bin/python3'
const sushy =
  spawnSync(python, ['-c', 'import sushy']).status === 0 ? undefined : 'sushy: not here; install python3-sushy'
const tool = isInstalled('redfishtool') ? undefined : 'redfishtool: not here; install redfishtool'
const ansible = isInstalled('ansible-playbook') ? undefined : 'ansible: not here; install ansible'

/** A server of update files for the controller, by version: `/1.63.update`. @returns its origin */
async function files(t: Scope): Promise<string> {
  const { cert, key } = new Authority(t, 'updates').issue({ extensions: serverExtensions })
  const server = createServer({ cert, key }, ({ url = '' }, response) => {
    const image = { board: 'sim', component: 'controller', version: url.slice(1).replace('.update', '') }
    response.end(updateFile(sim.updateKey, image, { image: new Uint8Array(100_000) }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Settles when the controller runs a version: it has started again then, and a client that comes finds it. */
const runs = (server: Server, version: string) =>
  server.until(
    () => server.get('/redfish/v1/Managers/1/'),
    ({ json }) => json.FirmwareVersion === version
  )

/** Settles when a slot of the controller holds a version. */
const holds = (server: Server, version: string) =>
  server.until(
    () => server.get('/redfish/v1/UpdateService/FirmwareInventory/?$expand=.'),
    ({ json }) => json.Members.some(({ Version }: Json) => Version === version)
  )

t.setTimeout(900_000)
for (const host of hosts.slice(0, 2)) {
  needing(`updates on ${host.name}`, host.missing ?? sushy ?? tool ?? ansible, async (t) => {
    const origin = await files(t)
    const server = await start(t, host)
    const url = `https://127.0.0.1:${server.port}`

    t.test('sushy reads the inventory and updates the controller', async (t) => {
      const client = 'test/clients/sushy_update.py'
      const result = await run(python, client, url, 'admin', password, `${origin}/1.70.update`)
      t.equal(result.status, 0, result.stderr.trimEnd().split('\n').at(-1) ?? '')
      t.match(result.stdout, /^done$/m)
    })

    t.test('redfishtool updates the controller', async (t) => {
      const body = JSON.stringify({ ImageURI: `${origin}/1.71.update` })
      const target = '/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate/'
      const login = ['-u', 'admin', '-p', password, '-S', 'Always', '-A', 'Basic', '-r', `127.0.0.1:${server.port}`]
      const result = await run('redfishtool', ...login, 'raw', 'POST', target, '-d', body)
      t.equal(result.status, 0, result.stderr)
      await runs(server, '1.71')
    })

    t.test('ansible updates the controller', async (t) => {
      const home = directory(t)
      const settings = { ANSIBLE_HOME: home, ANSIBLE_REMOTE_TEMP: home, ANSIBLE_LOCALHOST_WARNING: 'false' }
      const image = `${origin}/1.72.update`
      const facts = { controller: `127.0.0.1:${server.port}`, user: 'admin', secret: password, image }
      const result = await run(
        'env',
        ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
        ...['ansible-playbook', 'test/clients/ansible/update.yml', '--extra-vars', JSON.stringify(facts)]
      )
      t.equal(result.status, 0, result.stdout)
      await holds(server, '1.72')
    })
  })
}
