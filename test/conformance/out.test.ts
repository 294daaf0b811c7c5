// own process: it starts what was built
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { build, start } from './builds.ts'

t.test('a build into any folder starts from there', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'minnow-out-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const out = join(folder, 'of its', 'own')
  build(['--out', out])
  const service = await start(out, join(folder, 'data'))
  t.teardown(() => service.stop())
  t.equal((await service.get('/redfish/v1/Systems/1/')).status, 200)
})

t.test('a build without a C compiler names the parts that it leaves out in one line, and serves', async (t) => {
  const out = mkdtempSync(join(tmpdir(), 'minnow-out-'))
  t.teardown(() => rmSync(out, { recursive: true }))
  const env = { ...process.env, CC: 'no-such-compiler' }
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs', '--out', out], { env, encoding: 'utf8' })
  t.equal(status, 0)
  t.match(stderr, /^left out: native parts, which flash devices, GPIO and serial lines need: a C compiler \(.*\)\n$/)
  const service = await start(out, join(out, 'data'))
  t.teardown(() => service.stop())
  t.equal((await service.get('/redfish/v1/Systems/1/')).status, 200)
})
