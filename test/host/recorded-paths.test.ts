import { join } from 'node:path'
import t from 'tap'
import { mockups, writeMockup } from '#test/runtime/recording/mockups.ts'
import { needing } from './every-host.ts'
import { hosts } from './hosts.ts'
import { Process } from './process.ts'
import { directory, start } from './server.ts'

t.setTimeout(900_000)

const system = '/redfish/v1/Systems/System.Embedded.1'

for (const host of hosts.filter(({ name }) => name !== 'ARMv7')) {
  needing(`on ${host.name}, a path in another case changes no answer to the recorded one`, host.missing, async (t) => {
    const folder = directory(t)
    const file = join(folder, 'contoso.json')
    const recording = new Process(host, ['record', writeMockup(folder, 'contoso'), '-o', file])
    t.match(await recording.ended, { status: 0 })
    const server = await start(t, host, { args: ['--board', file] })
    // The binary repeats an answer that it has given twice.
    for (let each = 0; each < 3; each++)
      for (const path of [
        `${system.replace('Systems', 'systems')}/`,
        system,
        `${system.replace('Systems', '%53YSTEMS')}/`
      ]) {
        const { json } = await server.get(path)
        const missing = Object.keys(mockups.contoso![system]!).filter((name) => !(name in json))
        t.strictSame(missing, [], path)
      }
    t.equal(await server.stop(), 0)
  })
}
