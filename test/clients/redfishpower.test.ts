import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { unpacked } from '#runtime/build/debian.mjs'
import { architecture, hostArch } from '#runtime/build/sysroot.mjs'
import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import { Process } from '#test/host/process.ts'
import { directory, password } from '#test/host/server.ts'
import { run } from './run.ts'

/** redfishpower knows no port but 443, which may be in use: the fleet gets a network namespace of its own. */
const ownNetwork = ['unshare', '-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'] as const
const missing =
  spawnSync(ownNetwork[0], [...ownNetwork.slice(1), 'true']).status !== 0
    ? 'redfishpower: namespaces for users without privilege, and iproute2'
    : existsSync('/usr/bin/apt-get')
      ? undefined
      : 'redfishpower: not here; a Debian system gets it by itself'

/** 500 in the words of powerman, one whose power sticks, and one that is too busy to switch. */
const [good, stuck, busy] = ['127.27.0.[1-255],127.27.1.[0-244]', '127.28.0.1', '127.29.0.1']
const reset = 'redfish/v1/Systems/1/Actions/ComputerSystem.Reset'

/** powerman's device file of this maker leaves the slash at the end of a path out, and redfishpower follows no redirect. */
const maker = 'redfishpower-supermicro'
const quirks = { quirks: ['NoTrailingSlash'] }
const groups = [
  { count: 500, network: '127.27.0.0/16', port: 443, faults: [quirks] },
  {
    count: 1,
    network: '127.28.0.0/24',
    port: 443,
    faults: [quirks],
    devices: { power: { faults: { stuckOn: true } } }
  },
  { count: 1, network: '127.29.0.0/24', port: 443, faults: [{ path: `/${reset}*`, status: 503 }, quirks] }
]

t.setTimeout(900_000)
// This client is slow; that both hosts answer alike is for test/host.
for (const host of hosts.slice(1, 2)) {
  needing(`powerman with a fleet on ${host.name}`, host.missing ?? missing, async (t) => {
    const powerman = unpacked('powerman', architecture(hostArch).debian, ['powerman'])
    const helper = `${powerman}/usr/sbin/redfishpower -m 60 -A admin:${password}`
    const home = directory(t)
    const file = (name: string, text: string) => {
      writeFileSync(join(home, name), text)
      return join(home, name)
    }
    const settings = file('fleet.json', JSON.stringify({ data: join(home, 'fleet'), groups }))
    const apart = { ...host, command: [...ownNetwork, ...host.command] as const }
    const fleet = new Process(apart, ['fleet', settings], { MINNOW_ADMIN_PASSWORD: password })
    t.teardown(() => fleet.kill('SIGKILL'))
    await fleet.ready()
    const inside = ['nsenter', '-t', `${fleet.pid}`, '-U', '-n', '--preserve-credentials'] as const

    t.test('powerman asks 500, switches them off and on', async (t) => {
      const lines = [
        `include "${powerman}/etc/powerman/${maker}.dev"`,
        `device "fleet" "${maker}" "${helper} -h ${good} |&"`,
        `node "node[1-500]" "fleet" "${good}"`
      ]
      const configuration = file('powerman.conf', `${lines.join('\n')}\n`)
      const command = [...inside, `${powerman}/usr/sbin/powermand`] as const
      const daemon = new Process({ ...host, command }, ['-c', configuration])
      t.teardown(() => daemon.kill('SIGTERM'))
      for (const [option, said] of [
        ['-q', { on: 'node[1-500]', off: '', unknown: '' }],
        ['-0', 'Command completed successfully'],
        ['-q', { on: '', off: 'node[1-500]', unknown: '' }],
        ['-1', 'Command completed successfully'],
        ['-q', { on: 'node[1-500]', off: '', unknown: '' }]
      ] as const) {
        const nodes = option === '-q' ? [] : ['node[1-500]']
        const client = `${powerman}/usr/bin/powerman`
        const { status, stdout, stderr } = await run(...inside, client, '--retry-connect', '100', option, ...nodes)
        t.same([status, stderr], [0, ''])
        t.same(typeof said === 'string' ? stdout.trim() : states(stdout), said)
      }
    })

    t.test('redfishpower reports 2 broken controllers among 500', async (t) => {
      const commands = [
        'setheader Content-Type:application/json',
        'setstatpath redfish/v1/Systems/1',
        `setonpath ${reset} {"ResetType":"On"}`,
        `setoffpath ${reset} {"ResetType":"ForceOff"}`,
        'stat',
        `off ${good}`,
        'settimeout 1',
        `off ${stuck},${busy}`,
        'stat',
        'quit'
      ]
      const input = file('commands', `${commands.join('\n')}\n`)
      const all = [good, stuck, busy].join()
      const { status, stdout } = await run(...inside, 'sh', '-c', `${helper} -h ${all} <${input}`)
      t.equal(status, 0)
      const lines = stdout.replaceAll('redfishpower> ', '').trim().split('\n')
      t.same(count(lines.slice(0, 502)), { on: 502 })
      t.same(count(lines.slice(502, 1002)), { ok: 500 })
      t.same(lines.slice(1002, 1004).sort(), [`${stuck}: timeout - unexpected on`, `${busy}: http error (503)`])
      t.same(count(lines.slice(1004)), { off: 500, on: 2 })
    })
  })
}

/** The list that `powerman -q` prints: the nodes by their state. */
function states(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^(\w+): *(.*?) *$/gm)].map(([, state, nodes]) => [state, nodes]))
}

/** How often each answer comes in lines of a node and an answer. */
function count(lines: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const line of lines) {
    const answer = line.replace(/^\S+: /, '')
    counts[answer] = (counts[answer] ?? 0) + 1
  }
  return counts
}
