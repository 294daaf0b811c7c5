// own process: it starts what was built
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
