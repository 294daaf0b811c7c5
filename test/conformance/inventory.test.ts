// own process: it starts what was built
// needs: openssl
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { start } from './builds.ts'
import { bash, blocks } from './pages.ts'

t.test('the examples of the inventory work as printed', async (t) => {
  const [, login = ''] = blocks('README.md', 'A five-minute tour')
  const data = mkdtempSync(join(tmpdir(), 'minnow-'))
  const service = await start('dist', data, 'Tour-of-5-minutes')
  t.teardown(async () => {
    await service.stop()
    rmSync(data, { recursive: true })
  })
  const steps = [`cd ${data}\n`, login, ...blocks('docs/inventory.md')].join('')
  const { status, printed } = await bash(steps.replaceAll('localhost:8443', `127.0.0.1:${service.port}`))
  t.equal(status, 0, printed)
  const times = (words: string) => printed.split(words).length - 1
  t.equal(times('"error":'), printed.match(/Base\.[\d.]+\.(Success|Created)/g)?.length, printed)
  t.equal(times('"Model":"NA225-OCP"'), 1, 'the adapter')
  t.equal(times('"AssociatedMACAddresses":["8C:12:C2:0A:41:5'), 2, 'its ports')
  t.equal(times('"WWPN":"10:00:00:10:9B:0A:41:61"'), 1, 'a function of Fibre Channel')
  t.match(printed, '"Rack":"B7","RackOffset":21,"RackOffsetUnits":"EIA_310","Row":"North"', 'the location')
  t.equal(times('"Name":"Secure erase of drive 6 of storage slot3"'), 2, 'the task')
  for (const part of ['RS220 mainboard', 'SB96', '7.2.3.1']) t.match(printed, part)
})
