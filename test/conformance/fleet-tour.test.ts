// own process: it starts what was built
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { Process } from '#test/host/process.ts'
import { freePort } from './free-port.ts'
import { bash, blocks } from './pages.ts'

const page = 'docs/fleet.md'

/** What a section says is printed. */
function printedIn(section: string): string[] {
  const part = readFileSync(page, 'utf8')
    .split(/^## /m)
    .find((each) => each.startsWith(section))
  return [...(part ?? '').matchAll(/```text\n([\s\S]*?)```/g)].map(([, text = '']) => text)
}

t.test('the tour of 1,000 controllers works as printed', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'minnow-'))
  const port = await freePort()
  const local = (text: string) => text.replaceAll(':8443', `:${port}`).replaceAll('--port 8443', `--port ${port}`)
  const [serve = '', ...steps] = blocks(page, '1,000 controllers')
  const [ready = '', ...expected] = printedIn('1,000 controllers').map(local)
  const password = /MINNOW_ADMIN_PASSWORD='([^']+)'/.exec(serve)?.[1] ?? ''
  const args = /^minnow (fleet .*) &$/m.exec(local(serve))?.[1]?.split(' ') ?? []
  const data = join(directory, 'fleet')
  const host = { name: 'Node.js', slowness: 1, command: [process.execPath, resolve('dist/minnow.mjs')] as const }
  const fleet = new Process(host, [...args.slice(0, -1), data], { MINNOW_ADMIN_PASSWORD: password })
  t.teardown(async () => {
    await fleet.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  })
  t.equal(`${await fleet.ready()}\n`, ready)
  const lines = [`cd ${directory}`, `export MINNOW_ADMIN_PASSWORD='${password}'`, ...steps.map(local)]
  const { status, printed } = await bash(lines.join('\n'))
  t.equal(status, 0, printed)
  t.equal(printed, expected.join(''))
})
