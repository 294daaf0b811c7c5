// needs: ip, lldpd, curl
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { onBothHosts } from './every-host.ts'
import { type Host, isInstalled } from './hosts.ts'
import { Process } from './process.ts'
import { directory, type Json, password, type Server, start } from './server.ts'

/** lldpd becomes another user, of which a namespace for users without privilege has none. */
const missing = !isInstalled('lldpd')
  ? 'lldpd: not here; install lldpd'
  : spawnSync('unshare', ['-nm', 'true']).status === 0
    ? undefined
    : 'privileges for a network namespace: run it as root'

const skip = missing !== undefined && process.env.CI !== 'true' && missing
const port = '/redfish/v1/Managers/1/DedicatedNetworkPorts/1/'

onBothHosts(async (whole, host) => {
  whole.test('the simulated switch is heard once LLDP is enabled, also after a restart', async (t) => {
    const first = await start(t, host)
    t.notOk('LLDPReceive' in (await first.get(port)).json.Ethernet)
    t.equal((await first.patch(port, { Ethernet: { LLDPEnabled: true } })).status, 200)
    const hears = async (server: Server) => {
      const { json } = await server.until(
        () => server.get(port),
        ({ json }) => json.Ethernet.LLDPReceive !== undefined
      )
      t.match(json.Ethernet.LLDPReceive, {
        PortId: 'ge-0/0/17',
        PortIdSubtype: 'IfName',
        SystemCapabilities: ['Bridge']
      })
    }
    await hears(first)
    await first.stop()
    await hears(await start(t, host, { data: first.data }))
  })

  whole.test('the service and lldpd hear each other at the ends of a cable', { skip }, async (t) => {
    const { ask, run, service } = await wired(t, host)
    t.equal(ask(port).Ethernet.LLDPEnabled, false)
    ask(port, { Ethernet: { LLDPEnabled: true } })
    const { LLDPReceive, LLDPTransmit } = await until(
      () => ask(port).Ethernet,
      ({ LLDPReceive }) => LLDPReceive !== undefined
    )
    t.match(LLDPReceive, {
      ChassisIdSubtype: 'MacAddr',
      PortId: '02:00:00:00:00:AA',
      PortIdSubtype: 'MacAddr',
      SystemName: 'switch.example.net',
      SystemDescription: 'A switch “näher”',
      ManagementAddressIPv4: '192.0.2.1'
    })
    const neighbour = () => JSON.parse(run('lldpcli', '-u', '/run/lldpd.socket', 'show', 'neighbors', '-f', 'json0'))
    const heard = await until(neighbour, (each) => each.lldp[0].interface !== undefined)
    const [{ chassis, port: seen }] = heard.lldp[0].interface
    t.match(chassis[0], {
      id: [{ type: 'mac', value: '02:00:00:00:00:bb' }],
      name: [{ value: LLDPTransmit.SystemName }],
      descr: [{ value: LLDPTransmit.SystemDescription }],
      'mgmt-ip': [{ value: '192.0.2.2' }],
      capability: [{ type: 'Station', enabled: true }]
    })
    t.match(seen[0], { id: [{ type: 'mac', value: '02:00:00:00:00:bb' }], ttl: [{ value: '120' }] })

    ask(port, { Ethernet: { LLDPEnabled: false } })
    await until(neighbour, (each) => each.lldp[0].interface === undefined)
    t.notOk('LLDPReceive' in ask(port).Ethernet, 'what was heard is forgotten')
    ask(port, { Ethernet: { LLDPEnabled: true } })
    await until(neighbour, (each) => each.lldp[0].interface !== undefined)
    await service.kill('SIGTERM')
    await until(neighbour, (each) => each.lldp[0].interface === undefined)
  })
})

/** Tries again until an answer is as wanted, a minute at most. */
async function until(look: () => Json, isWanted: (answer: Json) => boolean): Promise<Json> {
  for (let tries = 0; tries < 300; tries++) {
    const answer = look()
    if (isWanted(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`never as expected: ${JSON.stringify(look())}`)
}

/** A network namespace with a cable between lldpd, at `peer`, and a service, at `eth0`. */
async function wired(t: Test, host: Host) {
  const set = [
    'mount -t tmpfs tmpfs /run && mkdir /run/lldpd && mount -t sysfs sysfs /sys',
    'ip link set lo up && ip link add peer address 02:00:00:00:00:aa type veth peer name eth0 address 02:00:00:00:00:bb',
    'ip address add 192.0.2.1/32 dev peer && ip address add 192.0.2.2/24 dev eth0',
    'ip link set peer up && ip link set eth0 up && exec cat'
  ].join(' && ')
  const holder = keep(t, spawn('unshare', ['-nm', 'sh', '-c', set], { stdio: ['pipe', 'pipe', 'inherit'] }))
  holder.stdin?.write('\n')
  await once(holder.stdout!, 'data')
  const inside = ['nsenter', '-t', String(holder.pid), '-n', '-m', `--wd=${process.cwd()}`]
  const run = (...command: string[]) => {
    const [file = '', ...args] = [...inside, ...command]
    const { stdout, stderr, status } = spawnSync(file, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
    return stdout
  }
  const switched = [...inside, 'lldpd', '-d', '-I', 'peer', '-C', 'peer', '-u', '/run/lldpd.socket']
  keep(t, spawn(switched[0]!, [...switched.slice(1), '-S', 'A switch “näher”', '-m', '192.0.2.1'], { stdio: 'ignore' }))
  await until(
    () => spawnSync(inside[0]!, [...inside.slice(1), 'lldpcli', '-u', '/run/lldpd.socket', 'show', 'chassis']).status,
    (status) => status === 0
  )
  run('lldpcli', '-u', '/run/lldpd.socket', 'configure', 'system', 'hostname', 'switch.example.net')
  run('lldpcli', '-u', '/run/lldpd.socket', 'configure', 'lldp', 'tx-interval', '1')
  const data = directory(t)
  const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
  board.managers['1'].ethernetInterfaces['1'].port = { type: 'netdev', device: 'eth0', lldp: true, interval: 100 }
  writeFileSync(join(data, 'board.json'), JSON.stringify(board))
  const within = { ...host, command: [...inside, ...host.command] as unknown as Host['command'] }
  const args = [
    '--port',
    '8443',
    '--address',
    '127.0.0.1',
    '--data',
    join(data, 'data'),
    '--board',
    join(data, 'board.json')
  ]
  const service = new Process(within, args, { MINNOW_ADMIN_PASSWORD: password })
  t.teardown(() => service.kill('SIGKILL'))
  await service.ready()
  const ask = (path: string, change?: object): Json => {
    const patch =
      change === undefined ? [] : ['-X', 'PATCH', '-H', 'Content-Type: application/json', '-d', JSON.stringify(change)]
    return JSON.parse(run('curl', '-sk', '-u', `admin:${password}`, ...patch, `https://127.0.0.1:8443${path}`))
  }
  return { ask, run, service }
}

function keep(t: Test, child: ChildProcess): ChildProcess {
  t.teardown(() => child.kill('SIGKILL'))
  return child
}
