import { spawnSync } from 'node:child_process'
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import { password, start } from '#test/host/server.ts'
import { run } from './run.ts'

/** The distribution's own interpreter: the one that python3-sushy is installed for. */
const python = '/usr/bin/python3'
const found = spawnSync(python, ['-c', 'import sushy']).status === 0
const sushy = found ? undefined : 'sushy: not here; install python3-sushy'

t.setTimeout(900_000)
for (const host of hosts.slice(0, 2)) {
  needing(`sushy on ${host.name}`, host.missing ?? sushy, async (t) => {
    const server = await start(t, host)
    for (const kind of ['session', 'basic']) {
      t.test(`logs in by ${kind}, reads everything, sets the boot device, powers off and on`, async (t) => {
        const url = `https://127.0.0.1:${server.port}`
        const result = await run(python, 'test/clients/sushy_client.py', url, 'admin', password, kind)
        t.equal(result.status, 0, result.stderr.trimEnd().split('\n').at(-1) ?? '')
        t.match(result.stdout, /^done$/m)
      })
    }

    t.test('leaves no session behind', async (t) => {
      const { json } = await server.get('/redfish/v1/SessionService/Sessions/')
      t.same(json.Members, [])
    })
  })
}
