// needs: jq, grub-mkimage, qemu-system-x86_64, python3
// own process: it starts what was built
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { needing } from '#test/host/every-host.ts'
import { type Host, hosts } from '#test/host/hosts.ts'
import { Process } from '#test/host/process.ts'
import { freePort } from './free-port.ts'
import { bash, blocks } from './pages.ts'

const tours = [
  ['docs/fleet.md', '1,000 controllers'],
  ['docs/fleet.md', 'And a broken one'],
  ['docs/fleet.md', 'Ten virtual machines that boot from the network'],
  ['docs/fleet.md', 'A rack that loses a power shelf'],
  ['docs/fleet.md', 'The machines of an inventory'],
  ['docs/record.md', 'Your own server as a mock']
] as const

/** The output that a section shows, block by block. */
function printedIn(page: string, section: string): string[] {
  const part = readFileSync(page, 'utf8')
    .split(/^## /m)
    .find((each) => each.startsWith(section))
  return [...(part ?? '').matchAll(/```text\n([\s\S]*?)```/g)].map(([, text = '']) => text)
}

const [node, binary] = hosts as readonly [Host, Host, Host]
const runs = tours.map((tour) => [...tour, node] as const)

for (const [page, section, host] of [...runs, ['docs/fleet.md', 'A rack that loses a power shelf', binary] as const])
  needing(`the tour “${section}” works as printed on ${host.name}`, host.missing, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'minnow-'))
    const [port, webPort] = [await freePort(), await freePort()]
    const local = (text: string) =>
      text
        .replaceAll(':8443', `:${port}`)
        .replaceAll('--port 8443', `--port ${port}`)
        .replaceAll('"port": 8443', `"port": ${port}`)
        .replaceAll('8080', `${webPort}`)
    const [serve = '', ...steps] = blocks(page, section)
    const [ready = '', ...expected] = printedIn(page, section).map(local)
    const password = /MINNOW_ADMIN_PASSWORD='([^']+)'/.exec(readFileSync(page, 'utf8'))?.[1] ?? ''
    const [, before = '', args = ''] = /^([\s\S]*?)^minnow (.*) &$/m.exec(local(serve)) ?? []
    const [program, ...more] = host.command.map((each) => (existsSync(each) ? resolve(each) : each))
    mkdirSync(join(directory, 'bin'))
    const command = `#!/bin/sh\nexec ${[program, ...more].map((each) => `'${each}'`).join(' ')} "$@"\n`
    writeFileSync(join(directory, 'bin/minnow'), command, { mode: 0o755 })
    const path = `export PATH="${directory}/bin:$PATH"`
    const shell = (lines: readonly string[]) =>
      bash([`cd ${directory}`, path, `export MINNOW_ADMIN_PASSWORD='${password}'`, ...lines].join('\n'))
    await shell([before])
    const there = { ...host, command: ['env', '-C', directory, program!, ...more] as const }
    const fleet = new Process(there, args.split(' '), { MINNOW_ADMIN_PASSWORD: password })
    t.teardown(async () => {
      await fleet.kill('SIGKILL')
      // Virtual machines outlive their fleet.
      await shell([`cat */controllers/*/machine/vm-1.pid 2>/dev/null | xargs -r kill 2>/dev/null || true`])
      rmSync(directory, { recursive: true, force: true })
    })
    t.equal(`${await fleet.ready()}\n`, ready)
    const { status, printed } = await shell(steps.map(local))
    t.equal(status, 0, printed)
    t.equal(printed, expected.join(''))
  })
