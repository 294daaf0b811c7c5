// own process: it starts what was built
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { directory } from '#test/host/server.ts'
import { missingImage } from '#test/image/board.ts'
import { booted } from '#test/image/booted.ts'
import { freePort } from './free-port.ts'
import { bash, blocks } from './pages.ts'

t.setTimeout(1_700_000)

const page = 'docs/porting.md'

needing('the page on a new board works as printed: one file, and the board answers', missingImage, async (t) => {
  const [, description = ''] = /```json\n([\s\S]*?)```/.exec(readFileSync(page, 'utf8')) ?? []
  const [make = '', ...steps] = blocks(page)
  const [, name = ''] = /--board (\S+)/.exec(make) ?? []
  const folder = directory(t)
  writeFileSync(join(folder, name), description)
  const port = await freePort()
  const lines = await booted(t, make, port, { folder })
  t.match(lines.at(-1), /minnow: listening on/)
  const { status, printed } = await bash(steps.join('').replaceAll('localhost:8443', `127.0.0.1:${port}`))
  t.equal(status, 0, printed)
  t.match(printed, /"Model":"Rack 7"/)
  t.match(printed, /"PowerState":"Off"/)
  t.match(printed, /Base\.1\.12\.Success/)
  t.match(printed, /"Name":"Inlet"/)
})
