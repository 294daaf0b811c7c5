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
  const afterwards = 'curl -sk -H "X-Auth-Token: $T" $B/Systems/1/'
  const lines = [...steps, afterwards].join('').replaceAll('localhost:8443', `127.0.0.1:${service.port}`)
  const { status, printed } = await bash(lines)
  t.equal(status, 0, printed)
  const success = 'Base.1.12.Success'
  const answers = [
    '"SystemType":"Physical"',
    '"Boot":{"BootSourceOverrideTarget":"None"',
    '"Members":[{"@odata.etag"',
    success,
    success,
    '"MessageArgs":["yes","LocationIndicatorActive"]',
    success,
    '"BootSourceOverrideEnabled":"Disabled"',
    success,
    'NoValidSession'
  ]
  const shown = printed.trimEnd().split('\n')
  t.equal(shown.length, answers.length, 'each answer is a line')
  for (const [i, part] of answers.entries()) t.ok(shown[i]?.includes(part), `${part} in ${shown[i]}`)
})
