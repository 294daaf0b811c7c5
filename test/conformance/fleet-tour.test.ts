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

for (const section of ['1,000 controllers', 'And a broken one'])
  t.test(`the tour “${section}” works as printed`, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'minnow-'))
    const port = await freePort()
    const local = (text: string) =>
      text
        .replaceAll(':8443', `:${port}`)
        .replaceAll('--port 8443', `--port ${port}`)
        .replaceAll('"port": 8443', `"port": ${port}`)
    const [serve = '', ...steps] = blocks(page, section)
    const [ready = '', ...expected] = printedIn(section).map(local)
    const password = /MINNOW_ADMIN_PASSWORD='([^']+)'/.exec(readFileSync(page, 'utf8'))?.[1] ?? ''
    const [, before = '', args = ''] = /^([\s\S]*?)^minnow (fleet .*) &$/m.exec(local(serve)) ?? []
    const shell = (lines: readonly string[]) =>
      bash([`cd ${directory}`, `export MINNOW_ADMIN_PASSWORD='${password}'`, ...lines].join('\n'))
    await shell([before])
    const program = resolve('dist/minnow.mjs')
    const host = { name: 'Node.js', slowness: 1, command: ['env', '-C', directory, process.execPath, program] as const }
    const fleet = new Process(host, args.split(' '), { MINNOW_ADMIN_PASSWORD: password })
    t.teardown(async () => {
      await fleet.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    })
    t.equal(`${await fleet.ready()}\n`, ready)
    const { status, printed } = await shell(steps.map(local))
    t.equal(status, 0, printed)
    t.equal(printed, expected.join(''))
  })
