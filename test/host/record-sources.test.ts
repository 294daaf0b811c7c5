import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { others, server } from '#test/runtime/recording/machines.ts'
import { writeMockup, writeResources } from '#test/runtime/recording/mockups.ts'
import { needing } from './every-host.ts'
import { type Host, hosts } from './hosts.ts'
import { Process } from './process.ts'
import { directory, start } from './server.ts'

/** Those that have it: what is flashed has not. */
const withRecording = hosts.filter(({ name }) => name !== 'ARMv7')

/** How `minnow record` ends. */
async function record(host: Host, ...args: string[]) {
  const { status, stdout, stderr } = await new Process(host, ['record', ...args]).ended
  return { status, said: stderr.join('\n'), printed: stdout.join('\n') }
}

t.setTimeout(900_000)

for (const host of withRecording) {
  needing(`on ${host.name}`, host.missing, async (t) => {
    t.test('mockups in archives become boards in a folder, and each of their resources is served', async (t) => {
      const [folder, boards] = [directory(t), join(directory(t), 'boards')]
      mkdirSync(boards)
      writeResources(`${folder}/racks/server`, server)
      writeResources(`${folder}/racks/shelf`, others['power shelf'])
      execFileSync('tar', ['-C', folder, '-czf', `${folder}/racks.tar.gz`, 'racks'])
      execFileSync('python3', ['-m', 'zipfile', '-c', `${folder}/racks.zip`, `${folder}/racks`])
      for (const archive of ['racks.tar.gz', 'racks.zip']) {
        const alone = await record(host, join(folder, archive), '-o', join(folder, 'one.json'))
        t.match(alone, { status: 2, said: /has several mockups, racks\/server, racks\/shelf: -o must be a folder/ })
        t.notOk(existsSync(join(folder, 'one.json')))
        t.match(await record(host, join(folder, archive), '-o', boards), { status: 0, said: '' })
        t.strictSame(readdirSync(boards).sort(), ['racks-server.json', 'racks-shelf.json'])
      }
      for (const [name, resources] of [
        ['server', server],
        ['shelf', others['power shelf']]
      ] as const) {
        const served = await start(t, host, { args: ['--board', join(boards, `racks-${name}.json`)] })
        for (const path of Object.keys(resources)) t.equal((await served.get(path)).status, 200, path)
        t.equal(await served.stop(), 0)
      }
    })

    t.test('an archive that is cut off is refused in one line, with its name', async (t) => {
      const folder = writeMockup(directory(t), 'fabrikam')
      const file = join(folder, 'cut.tar.gz')
      const whole = execFileSync('tar', ['-C', folder, '-cz', 'redfish'])
      writeFileSync(file, whole.subarray(0, whole.length / 2))
      const { status, said } = await record(host, file, '-o', join(folder, 'made.json'))
      t.equal(status, 1)
      t.match(said, /^minnow: \S+cut\.tar\.gz: it is [^\n]+$/)
    })
  })
}
