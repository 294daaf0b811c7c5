import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { freePort } from '#test/conformance/free-port.ts'
import { needing } from '#test/host/every-host.ts'
import { hosts, isInstalled } from '#test/host/hosts.ts'
import { Process } from '#test/host/process.ts'
import { directory, password } from '#test/host/server.ts'
import { ansible, play } from './play.ts'
import { run } from './run.ts'

/** The distribution's own interpreter: the one that python3-sushy is installed for. */
const python = '/usr/bin/python3'
const sushy = spawnSync(python, ['-c', 'import sushy']).status === 0 ? undefined : 'sushy: install python3-sushy'
const fence = isInstalled('fence_redfish') ? undefined : 'fence_redfish: install fence-agents'

const prometheus = isInstalled('promtool') ? undefined : 'promtool: install prometheus'

/** How many crawl at the same time. */
const crawlers = 4

/** How many an inventory of Ansible has; each costs it a second of a processor. */
const managed = 50

t.setTimeout(900_000)
const host = hosts.find(({ name }) => name === 'x86-64')!
needing('clients of a fleet', host.missing ?? sushy ?? fence ?? prometheus ?? ansible, async (t) => {
  const data = directory(t)
  const metrics = `127.0.0.1:${await freePort()}`
  const network = ['--count', '500', '--network', '127.27.0.0/16', '--port', '0']
  const args = ['fleet', ...network, '--data', data, '--metrics', metrics]
  const fleet = new Process(host, args, { MINNOW_ADMIN_PASSWORD: password })
  t.teardown(() => fleet.kill('SIGKILL'))
  await fleet.ready()
  const members: { url: string; serialNumber: string }[] = JSON.parse(
    readFileSync(join(data, 'inventory.json'), 'utf8')
  )
  const at = (number: number) => new URL(members[number - 1]!.url)

  t.test('several sushys at once read all of a controller each, and switch it', async (t) => {
    const numbers = Array.from({ length: crawlers }, (_, index) => 1 + index * 100)
    const client = (number: number) =>
      run(python, 'test/clients/sushy_client.py', at(number).origin, 'admin', password, 'session')
    for (const { status, stdout, stderr } of await Promise.all(numbers.map(client))) {
      t.equal(status, 0, stderr.trimEnd().split('\n').at(-1) ?? '')
      t.match(stdout, /^done$/m)
    }
  })

  t.test('promtool finds nothing wrong in the metrics', async (t) => {
    const { status, stdout } = await run('curl', '-sk', `https://${metrics}/metrics`)
    t.equal(status, 0)
    t.match(stdout, /^minnow_controllers\{group="0"\} 500$/m)
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: stdout, encoding: 'utf8' })
    t.same([checked.status, checked.stdout, checked.stderr], [0, '', ''])
  })

  t.test('fence_redfish switches the server of one controller off, and of no other', async (t) => {
    const act = (number: number, action: string) =>
      run(
        'fence_redfish',
        ...[`--ip=${at(number).hostname}`, `--ipport=${at(number).port}`, '--ssl-insecure', '--username=admin'],
        ...[`--password=${password}`, `--action=${action}`, '--systems-uri=/redfish/v1/Systems/1']
      )
    t.equal((await act(500, 'off')).status, 0)
    const [off, on] = await Promise.all([act(500, 'status'), act(499, 'status')])
    t.match(off.stdout, 'Status: OFF')
    t.match(on.stdout, 'Status: ON')
  })

  t.test("Ansible's redfish_info reads the servers of an inventory", async (t) => {
    const numbers = Array.from({ length: managed }, (_, index) => 101 + index)
    const hosts = numbers.map((number) => [`server-${number}`, { controller: at(number).host }])
    const vars = { user: 'admin', secret: password, ansible_python_interpreter: python }
    const inventory = join(data, 'inventory.yml')
    writeFileSync(inventory, JSON.stringify({ all: { hosts: Object.fromEntries(hosts), vars } }))
    const [systems] = await play(t, 'fleet', '--inventory', inventory, '--forks', '4')
    t.strictSame(
      numbers.map((number) => systems?.[`server-${number}`].redfish_facts.system.entries[0][1].SerialNumber),
      numbers.map((number) => members[number - 1]!.serialNumber)
    )
  })
})
