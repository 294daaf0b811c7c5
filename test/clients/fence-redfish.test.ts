import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { hosts, isInstalled } from '#test/host/hosts.ts'
import { password, start } from '#test/host/server.ts'
import { run } from './run.ts'

const fence = isInstalled('fence_redfish') ? undefined : 'fence_redfish: not here; install fence-agents'

t.setTimeout(900_000)
for (const host of hosts.slice(0, 2)) {
  needing(`fence_redfish on ${host.name}`, host.missing ?? fence, async (t) => {
    const server = await start(t, host)
    const act = (action: string, ...more: string[]) =>
      run(
        'fence_redfish',
        ...[`--ip=127.0.0.1`, `--ipport=${server.port}`, '--ssl-insecure', '--username=admin'],
        ...[`--password=${password}`, `--action=${action}`, ...more]
      )

    for (const [action, state] of [
      ['off', 'OFF'],
      ['on', 'ON'],
      ['reboot', 'ON']
    ] as const) {
      t.test(`${action} leaves the server ${state}`, async (t) => {
        const acted = await act(action)
        t.equal(acted.status, 0, acted.stderr)
        const { status, stdout } = await act('status', '--systems-uri=/redfish/v1/Systems/1')
        t.equal(status, state === 'ON' ? 0 : 2)
        t.match(stdout, `Status: ${state}`)
      })
    }

    t.test('diag sends an NMI', async (t) => {
      t.equal((await act('diag')).status, 0)
    })

    t.test('a wrong password switches nothing', async (t) => {
      t.not((await act('off', '--password=Wrong-Secret-1')).status, 0)
      t.equal((await server.get('/redfish/v1/Systems/1/')).json.PowerState, 'On')
    })
  })
}
