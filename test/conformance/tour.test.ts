// own process: it starts what was built
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { start } from './builds.ts'
import { bash, blocks } from './pages.ts'

t.test('the five-minute tour works as printed', async (t) => {
  const [serve = '', ...steps] = blocks('README.md', 'A five-minute tour')
  const password = /MINNOW_ADMIN_PASSWORD='([^']+)' npm start/.exec(serve)?.[1] ?? ''
  t.not(password, '', 'it serves with a password')
  const data = mkdtempSync(join(tmpdir(), 'minnow-'))
  const service = await start('dist', data, password)
  t.teardown(async () => {
    await service.stop()
    rmSync(data, { recursive: true })
  })
  const { status, printed } = await bash(steps.join('echo\n').replaceAll('localhost:8443', `127.0.0.1:${service.port}`))
  t.equal(status, 0, printed)
  for (const shown of [
    '"SystemType":"Physical"',
    '"Boot":{"BootSourceOverrideTarget":"None"',
    '"MessageArgs":["yes","LocationIndicatorActive"]',
    '"BootSourceOverrideEnabled":"Disabled"',
    '"MySession":{"@odata.id":"/redfish/v1/SessionService/Sessions/admin-'
  ]) {
    t.ok(printed.includes(shown), `${shown} in …\n${printed.slice(-1500)}`)
  }
  t.equal(printed.match(/Base\.1\.12\.Success/g)?.length, 3, 'three changes were made')
})
