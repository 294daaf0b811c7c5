import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
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

    t.test('the list of all has the addresses that controllers of workers have moved to', async (t) => {
      const ask = client(t)
      const data = directory(t)
      const file = join(data, 'fleet.json')
      const groups = [{ count: 4, network: '127.20.5.0/24', port: 0 }]
      const scenario = [{ at: '00:00:01', controllers: [3], address: '127.20.5.100' }]
      writeFileSync(file, JSON.stringify({ data, workers: 2, scenario, groups }))
      const { process, members } = await startFleet(t, host, data, file)
      const urls = () => {
        const listed: typeof members = JSON.parse(readFileSync(join(data, 'inventory.json'), 'utf8'))
        return listed.map(({ url }) => url)
      }
      const own = members.map(({ url }) => url.replace('127.20.5.3:', '127.20.5.100:'))
      while (urls().join() !== own.join()) await pause(50)
      t.equal((await ask('GET', own[2]! + system)).json.SerialNumber, members[2]!.serialNumber)

      const all = join(data, 'inventory.json')
      const ofWorker = join(data, 'worker-1/inventory.json')
      rmSync(all)
      mkdirSync(all)
      writeFileSync(ofWorker, readFileSync(ofWorker))
      const warnings = () =>
        process.stderr.filter((line) => line.includes('the list of all controllers was not written'))
      while (warnings().length === 0) await pause(50)
      rmdirSync(all)
      while (!existsSync(all)) await pause(50)
      t.same(urls(), own, 'it is written as soon as that is possible')
      t.equal(warnings().length, 1)
      t.equal((await process.kill('SIGTERM')).status, 0)
    })

    t.test('each worker has metrics and a page of its controllers, and top adds the metrics', async (t) => {
      const ask = client(t)
      const data = directory(t)
      const place = ['--network', '127.20.4.0/24', '--port', '0', '--data', data]
      const own = ['--workers', '2', '--metrics', '127.0.0.1:0', '--control', '127.0.0.1:0']
      const { process, members } = await startFleet(t, host, data, '--count', '5', ...place, ...own)
      for (const { url } of members.slice(0, 3)) t.equal((await ask('GET', url + system)).status, 200)
      const urlsOf = (name: string) =>
        process.stderr.flatMap(
          (line) => new RegExp(`"message":"${name}".*"url":"https://([^"]+?)/`).exec(line)?.[1] ?? []
        )
      while (urlsOf('metrics').length + urlsOf('page').length < 4) await pause(10)
      const [metrics, pages] = [urlsOf('metrics'), urlsOf('page')]
      const counts = await Promise.all(metrics.map((where) => ask('GET', `https://${where}/metrics`)))
      const controllers = counts.map(({ text }) => Number(/^minnow_controllers\{group="0"\} (\d+)$/m.exec(text)?.[1]))
      t.same(controllers.toSorted(), [2, 3])
      const titles = await Promise.all(pages.map((where) => ask('GET', `https://${where}/`)))
      t.same(
        titles.map(({ status }) => status),
        [200, 200]
      )
      const { status, stdout } = await new Process(host, ['fleet', 'top', ...metrics, '--lines', '1']).ended
      t.equal(status, 0)
      t.match(stdout[0], /^5 controllers, 3 open; /)
      t.equal((await process.kill('SIGTERM')).status, 0)
    })
  })
}
