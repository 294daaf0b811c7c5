import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { kill } from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { needing } from './every-host.ts'
import { client, startFleet } from './fleets.ts'
import { hosts } from './hosts.ts'
import { childrenOf, Process } from './process.ts'
import { directory } from './server.ts'

const system = 'Systems/1/'

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

for (const host of hosts.filter(({ name }) => name !== 'ARMv7')) {
  needing(`on ${host.name}`, host.missing, async (t) => {
    t.test('two workers serve the same controllers as one process', async (t) => {
      const ask = client(t)
      const faults = [{ path: '/redfish/v1/Systems*', share: 0.5, status: 503 }]
      const scenario = [{ at: '00:00:00', controllers: [2, 3], power: 'ForceOff' }]
      /** The members of a fleet of this many processes, and their answers. */
      const shown = async (workers: number) => {
        const data = directory(t)
        const groups = [
          { count: 3, network: '127.20.3.0/24', port: 0 },
          { count: 2, address: '127.0.0.1', port: 0, faults }
        ]
        const file = join(data, 'fleet.json')
        writeFileSync(file, JSON.stringify({ data, workers, seed: 7, scenario, groups }))
        const { process, line, members } = await startFleet(t, host, data, file)
        t.match(line, /^minnow: fleet of 5 listening on https:\/\/127\.20\.3\.1:/)
        for (const number of [2, 3]) {
          const chassis = `${members[number - 1]!.url}Chassis/1/`
          while ((await ask('GET', chassis)).json.PowerState !== 'Off');
        }
        const statuses: number[] = []
        for (const { url } of members)
          for (let times = 0; times < 6; times++) statuses.push((await ask('GET', url + system)).status)
        const identities = members.map(({ url: _, ...identity }) => identity)
        return { process, file, data, seen: { identities, statuses } }
      }
      const one = await shown(1)
      t.equal((await one.process.kill('SIGTERM')).status, 0)
      const two = await shown(2)
      t.same(two.seen, one.seen)
      const workers = childrenOf(two.process.pid)
      t.equal(workers.length, 2)

      kill(workers[1]!, 'SIGKILL')
      const { status, stderr } = await two.process.ended
      t.equal(status, 1, 'without one of them there is no fleet')
      t.match(stderr.at(-1), /^minnow: worker 2 of 2 has ended with SIGKILL: all end$/)
      t.notOk(workers.some(isRunning))

      const again = await startFleet(t, host, two.data, two.file)
      t.equal((await again.process.kill('SIGTERM')).status, 0)
      const left = await startFleet(t, host, two.data, two.file)
      const orphans = childrenOf(left.process.pid)
      await left.process.kill('SIGKILL')
      while (orphans.some(isRunning)) await pause(50)
      const other = await new Process(host, ['fleet', '--count', '5', '--data', two.data]).ended
      t.match(other.stderr, [/^minnow: workers: .* has the state of 2, not of 1/])
      t.equal(other.status, 2)
    })
  })
}
